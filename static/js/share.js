// Shares the page with the phone's own dialogue, or copies its address.

const button = document.querySelector("[data-share]");
const url = document.querySelector("link[rel=canonical]")?.href ?? location.href;

async function share() {
  if (navigator.share) return navigator.share({ title: document.title, url }).catch(() => {});
  await navigator.clipboard.writeText(url);
  button.textContent = button.dataset.copied;
}

if (button && (navigator.share || navigator.clipboard)) {
  button.hidden = false;
  button.addEventListener("click", share);
}
