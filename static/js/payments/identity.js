// Opens PortOne's window for identities. On phones PortOne navigates away and redirects back to the
// shop; elsewhere the window overlays this page, and its answer is sent to the same URL from here.

const box = document.getElementById("identity-window");
const button = box.querySelector("[data-open]"), error = box.querySelector("[data-error]");

button?.addEventListener("click", async () => {
  button.disabled = true;
  error.hidden = true;
  try {
    const answer = await window.PortOne.requestIdentityVerification(JSON.parse(box.dataset.request));
    if (answer) location.assign(`${box.dataset.back}${answer.code ? `&code=${encodeURIComponent(answer.code)}` : ""}`);
  } catch {
    error.hidden = false; // nothing was opened: wrong settings, no network, a blocked script
  }
  button.disabled = false;
});
