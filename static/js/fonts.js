// Loads the web font once the page is loaded and painted: on a slow network its 250 KB would come before the text and the pictures.

const link = document.querySelector("[data-fonts]");
const load = () => { link.media = "all"; };
const loadOncePainted = () => {
  if (PerformanceObserver.supportedEntryTypes?.includes("paint")) new PerformanceObserver(load).observe({ type: "paint", buffered: true });
  else load();
};

if (document.readyState === "complete") loadOncePainted();
else addEventListener("load", loadOncePainted);
