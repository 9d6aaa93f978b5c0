// Formats numbers as the server does; the labels come from the page.

const labels = document.getElementById("console-labels").dataset;
const language = document.documentElement.lang || "ko";
const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const UNKNOWN = "–";

export const label = (name, values = {}) =>
  Object.entries(values).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, value), labels[camel(name)] ?? name);

export const count = (number) => (number === null || number === undefined ? UNKNOWN : whole.format(number));
export const rate = (number) => (number === null || number === undefined ? UNKNOWN : tenths.format(number));

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  const minutes = Math.floor(seconds / 60);
  if (seconds < 60) return label("seconds", { n: seconds });
  if (minutes < 60) return label("minutes", { m: minutes, s: seconds % 60 });
  return label("hours", { h: Math.floor(minutes / 60), m: minutes % 60 });
}

const SYMBOLS = { KRW: "₩", USD: "$", EUR: "€", JPY: "¥", GBP: "£" };
const WITHOUT_CENTS = new Set(["KRW", "JPY", "VND", "CLP", "ISK"]);

export function money(amount, currency) {
  if (amount === null || amount === undefined) return UNKNOWN;
  const figure = WITHOUT_CENTS.has(currency) ? whole.format(amount) : `${whole.format(Math.floor(amount / 100))}.${String(amount % 100).padStart(2, "0")}`;
  if (currency === "KRW" && language.startsWith("ko")) return `${figure}원`;
  return SYMBOLS[currency] ? `${SYMBOLS[currency]}${figure}` : `${figure} ${currency}`;
}

const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Seoul", hour: "2-digit", minute: "2-digit" });
export const time = (second) => clock.format(new Date(second * 1000));

function camel(name) {
  return name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
}
