// The page's labels: they come with the page, in its language. This script only fills placeholders.

const MINUTE = 60, MAX_MINUTES = 90;
const labels = document.getElementById("line-labels").dataset;
const language = document.documentElement.lang;
const wholeNumber = new Intl.NumberFormat(language);

export const formatCount = (number) => wholeNumber.format(number);

export function label(name, values = {}) {
  return labels[name].replace(/\{(\w+)\}/g, (placeholder, key) => values[key] ?? placeholder);
}

/** A length of time rounded up to whole minutes, as `views/labels.py` does. */
export function durationLabel(seconds) {
  if (seconds < MINUTE) return label("moment");
  const minutes = Math.ceil(seconds / MINUTE);
  if (minutes <= MAX_MINUTES) return label("minutes", { m: minutes });
  return label("hours", { h: Math.floor(minutes / 60), m: minutes % 60 });
}

export function etaLabel(standing) {
  if (standing.paused) return label("etaPaused");
  if (standing.eta_seconds === null) return label("etaUnknown");
  if (standing.eta_seconds < MINUTE) return label("moment");
  return label("eta", { time: durationLabel(standing.eta_seconds) });
}

/** The range of an estimate, without bounds that are unknown or below a minute, as `views/labels.py` does. */
export function etaRangeLabel({ paused, eta_low_seconds, eta_high_seconds }) {
  const [low, high] = [eta_low_seconds, eta_high_seconds].map((seconds) => seconds === null || seconds < MINUTE ? "" : durationLabel(seconds));
  if (paused || low === high) return "";
  return label(low && high ? "range" : low ? "rangeOpen" : "rangeUpTo", { low, high });
}

/** Whether the system moved somebody, who gets the place back by verifying. */
export const isOfGroup = (why) => why.startsWith("group: ");

export function demotionLabel(why) {
  return isOfGroup(why) ? label("reasonGroup") : why;
}

export function aheadLabel(ahead) {
  return label(ahead === 0 ? "aheadNone" : ahead === 1 ? "aheadOne" : "aheadMany");
}

/** The name of a grade in the page's language. */
export const gradeName = (grade) => grade[`name_${language}`] || grade.name_ko;
