// The page's words: they come with the page, in its language. This script only fills in the gaps.

const MINUTE = 60, LONGEST_IN_MINUTES = 90;
const source = document.getElementById("line-words").dataset;
const language = document.documentElement.lang;
const whole = new Intl.NumberFormat(language);

export const count = (number) => whole.format(number);

export function say(name, values = {}) {
  return source[name].replace(/\{(\w+)\}/g, (gap, key) => values[key] ?? gap);
}

/** A length of time as people say it, rounded up to whole minutes; the server rounds alike. */
export function inWords(seconds) {
  if (seconds < MINUTE) return say("moment");
  const minutes = Math.ceil(seconds / MINUTE);
  if (minutes <= LONGEST_IN_MINUTES) return say("minutes", { m: minutes });
  return say("hours", { h: Math.floor(minutes / 60), m: minutes % 60 });
}

export function etaInWords(standing) {
  if (standing.paused) return say("etaPaused");
  if (standing.eta_seconds === null) return say("etaUnknown");
  if (standing.eta_seconds < MINUTE) return say("moment");
  return say("eta", { time: inWords(standing.eta_seconds) });
}

export function rangeInWords({ paused, eta_low_seconds: low, eta_high_seconds: high }) {
  if (paused || low === null || (high !== null && high < MINUTE)) return "";
  if (high === null) return say("rangeOpen", { low: inWords(low) });
  if (low < MINUTE) return say("rangeUpTo", { high: inWords(high) });
  return say("range", { low: inWords(low), high: inWords(high) });
}

export function aheadInWords(ahead) {
  return say(ahead === 0 ? "aheadNone" : ahead === 1 ? "aheadOne" : "aheadMany");
}

/** The name of a grade in the page's language. */
export const nameOf = (grade) => grade[`name_${language}`] || grade.name_ko;
