// The page's words: they come with the page, in its language. This script only fills in the gaps.

const source = document.getElementById("door-words");

export function say(name, values = {}) {
  return source.getAttribute(`data-${name}`).replace(/\{(\w+)\}/g, (gap, key) => values[key] ?? gap);
}

export const clock = (moment) =>
  new Date(moment).toLocaleTimeString(document.documentElement.lang, { hour12: false });
