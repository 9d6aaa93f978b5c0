-- Begin the payment of a fan's reservation, or find the one that this key began or that is open: lock the
-- reservation, decide and write. From then on the hold can't expire. If the key or the reservation is
-- taken by a payment that this statement's snapshot does not show yet, nothing is written and no payment
-- returned: the caller repeats it. The payment keeps the cancellation terms of this moment. Consents to documents are checked
-- and recorded with it.
WITH
{extend_hold},
known AS (
    SELECT * FROM payments_payment WHERE payment_key = %(payment_key)s
),
-- Locked, because the snapshot may be older than the reservation's lock and show one that has ended.
open AS MATERIALIZED (
    SELECT *
    FROM payments_payment
    WHERE reservation_id = (SELECT id FROM reservation)
    AND state IN ('pending', 'prepared', 'charging') AND NOT EXISTS (SELECT FROM known)
    FOR NO KEY UPDATE
),
-- People of rehearsals count as having agreed.
unagreed AS MATERIALIZED (
    SELECT document.id, document.kind, document.version
    FROM (
        SELECT DISTINCT ON (kind) id, kind, version
        FROM accounts_legaldocument
        WHERE kind IN ('terms', 'privacy', 'third_party') AND published_at <= %(now)s
        ORDER BY kind, published_at DESC, version DESC
    ) AS document
    JOIN reservation ON reservation.event_id < %(first_rehearsal)s::bigint
    WHERE NOT EXISTS (
        SELECT FROM accounts_consent AS consent
        WHERE consent.user_id = reservation.fan_id AND consent.document_id = document.id
        AND consent.about IN ('', reservation.code) AND consent.withdrawn_at IS NULL
    )
),
missing AS (
    SELECT * FROM unagreed WHERE id <> ALL (%(consents)s::bigint[])
),
begun AS (
    INSERT INTO payments_payment
        (number, payment_key, reservation_id, fan_id, amount, currency, state, charged, refunded,
         gateway, payment_token, transaction_id, failure_code, failure_message, language, attempts,
         created_at, due_at, terms)
    SELECT %(number)s, %(payment_key)s, reservation.id, reservation.fan_id, reservation.total,
           reservation.currency, 'pending', 0, 0, 'portone', '', '', '', '', %(language)s, 0, %(now)s,
           CASE extension.status WHEN 'paying' THEN reservation.deadline ELSE extension.deadline END,
           coalesce(
               (
                   SELECT jsonb_build_object(
                       'free_days', free_days, 'free_hours', free_hours, 'near_days', near_days,
                       'tiers', tiers
                   )
                   FROM payments_refundpolicy WHERE event_id = reservation.event_id
               ),
               %(usual_terms)s::jsonb
           )
    FROM reservation, extension
    WHERE extension.status IN ('extended', 'paying')
    AND (%(takes_rehearsals)s OR reservation.event_id < %(first_rehearsal)s::bigint)
    AND NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM open)
    AND NOT EXISTS (SELECT FROM missing)
    ON CONFLICT DO NOTHING
    RETURNING *
),
consents AS (
    INSERT INTO accounts_consent (user_id, document_id, about, given_at)
    SELECT begun.fan_id, unagreed.id,
           CASE unagreed.kind WHEN 'third_party' THEN reservation.code ELSE '' END, %(now)s
    FROM begun, unagreed, reservation
    ON CONFLICT DO NOTHING
),
step AS (
    INSERT INTO payments_paymentstep (payment_id, at, before, after, note)
    SELECT id, %(now)s, '', state, '' FROM begun
),
extended AS (
    UPDATE reservations_reservation AS reservation
    SET state = 'paying', deadline = extension.deadline
    FROM extension, begun
    WHERE reservation.id = extension.id AND extension.status = 'extended'
    RETURNING reservation.*
),
payment AS (
    SELECT * FROM begun UNION ALL SELECT * FROM known UNION ALL SELECT * FROM open
)
SELECT extension.status, {payment}, {reservation}, event.id AS "event.id",
       event.title_ko AS "event.title_ko", event.title_en AS "event.title_en",
       array(
           SELECT seat_id
           FROM reservations_reservedseat
           WHERE reservation_id = reservation.id AND EXISTS (SELECT FROM extended)
           ORDER BY seat_id
       ) AS extended_seats,
       (SELECT json_agg(to_json(missing))::text FROM missing) AS missing_consents
FROM extension
CROSS JOIN (
    SELECT * FROM extended
    UNION ALL
    SELECT * FROM reservation WHERE NOT EXISTS (SELECT FROM extended)
) AS reservation
JOIN ticketing_event AS event ON event.id = reservation.event_id
LEFT JOIN payment ON true;
