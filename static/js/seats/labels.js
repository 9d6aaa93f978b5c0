// Texts come with the page, in its language; this only fills in the placeholders.

let [texts, language] = "document" in globalThis ? [document.getElementById("seat-labels").dataset, document.documentElement.lang] : [{}, ""];
const WITHOUT_CENTS = new Set(["KRW", "JPY", "VND", "CLP", "ISK"]);

/** As Korean and English write it: 12,345. Intl would do the same, but takes over 10 ms to load. */
export const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
export const clockTime = (iso) => new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(iso));
export const has = (name) => name in texts;
export const nameOf = (thing) => thing.name[language] || thing.name.ko;

/** What a worker, which has no page, is given to use. */
export const pageLabels = () => [{ ...texts }, language];
export const useLabels = (given) => { [texts, language] = given; };

export function say(name, values = {}) {
  return texts[name].replace(/\{(\w+)\}/g, (gap, key) => values[key] ?? gap);
}

/** Prices as the server formats them: ₩154,000, or 154,000원 in Korean. */
export function money(amount, currency) {
  if (currency === "KRW") return language === "ko" ? `${count(amount)}원` : `₩${count(amount)}`;
  const units = WITHOUT_CENTS.has(currency) ? amount : amount / 100;
  return new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(units);
}
