// Texts come with the page, in its language; this only fills in the placeholders.

const source = document.getElementById("door-labels");

export function say(name, values = {}) {
  return source.getAttribute(`data-${name}`).replace(/\{(\w+)\}/g, (gap, key) => values[key] ?? gap);
}

export const clock = (moment) =>
  new Date(moment).toLocaleTimeString(document.documentElement.lang, { hour12: false });
