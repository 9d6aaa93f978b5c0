// The page's words: they come with the page, in its language. This script only fills in the gaps.

const source = document.getElementById("seat-words").dataset;
const language = document.documentElement.lang;
const whole = new Intl.NumberFormat(language);
const WITHOUT_CENTS = new Set(["KRW", "JPY", "VND", "CLP", "ISK"]);

export const count = (number) => whole.format(number);
export const has = (name) => name in source;
export const nameOf = (thing) => thing.name[language] || thing.name.ko;

export function say(name, values = {}) {
  return source[name].replace(/\{(\w+)\}/g, (gap, key) => values[key] ?? gap);
}

/** As the server writes prices: ₩154,000, or 154,000원 for Korean readers. */
export function money(amount, currency) {
  if (currency === "KRW") return language === "ko" ? `${count(amount)}원` : `₩${count(amount)}`;
  const units = WITHOUT_CENTS.has(currency) ? amount : amount / 100;
  return new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(units);
}
