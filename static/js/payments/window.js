// Opens PortOne's payment window. On phones PortOne navigates away and redirects back to the shop;
// elsewhere the window overlays this page, and its answer is sent to the same URL from here.

const box = document.getElementById("payment-window");
const button = box.querySelector("[data-open]"), error = box.querySelector("[data-error]");
const PARAMETERS = ["paymentId", "txId", "transactionType", "paymentToken", "code", "message", "pgCode", "pgMessage"];

async function open() {
  button.disabled = true;
  error.hidden = true;
  try {
    const answer = await window.PortOne.requestPayment(JSON.parse(box.dataset.request));
    if (answer) location.assign(returnUrl(answer));
  } catch {
    error.hidden = false; // nothing was opened: wrong settings, no network, a blocked script
  }
  button.disabled = button.hidden = false;
}

function returnUrl(answer) {
  const parameters = PARAMETERS.filter((name) => answer[name] != null).map((name) => [name, answer[name]]);
  return `${box.dataset.back}?${new URLSearchParams(parameters)}`;
}

button.addEventListener("click", open);
window.addEventListener("pageshow", ({ persisted }) => { if (persisted) button.disabled = button.hidden = false; });
open();
