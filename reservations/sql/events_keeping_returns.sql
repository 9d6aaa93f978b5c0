    -- Of these events, those that keep returned seats out of the open sale: they were sold out, and
    -- their policy offers returned seats later or to the standby list. Before that the next in line
    -- gets them.
    SELECT event.id, event.returns_minutes
    FROM ticketing_event AS event
    WHERE {events}
    AND event.returns <> 'at_once'
    AND event.state IN ('on_sale', 'paused', 'sold_out')
    AND NOT (event.returns = 'announced' AND event.returns_at <= %(now)s)
    AND (
        event.state = 'sold_out'
        OR EXISTS (SELECT FROM reservations_standbylist AS list WHERE list.event_id = event.id)
    )
