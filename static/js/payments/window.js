// Opens PortOne's payment window. Phones leave this page and come back by its address; where the
// window lies over the page, its answer is taken there from here, under the same names.

const box = document.getElementById("payment-window");
const button = box.querySelector("[data-open]"), trouble = box.querySelector("[data-trouble]");
const TOLD = ["paymentId", "txId", "transactionType", "paymentToken", "code", "message", "pgCode", "pgMessage"];

async function open() {
  button.disabled = true;
  trouble.hidden = true;
  try {
    const answer = await window.PortOne.requestPayment(JSON.parse(box.dataset.wish));
    if (answer) location.assign(addressOf(answer));
  } catch {
    trouble.hidden = false; // nothing was opened: wrong settings, no network, a blocked script
  }
  button.disabled = button.hidden = false;
}

function addressOf(answer) {
  const told = TOLD.filter((name) => answer[name] != null).map((name) => [name, answer[name]]);
  return `${box.dataset.back}?${new URLSearchParams(told)}`;
}

button.addEventListener("click", open);
window.addEventListener("pageshow", ({ persisted }) => { if (persisted) button.disabled = button.hidden = false; });
open();
