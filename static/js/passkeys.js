// Passkeys: a button registers one, logs in with one, or proves again who is logged in.

const buttons = document.querySelectorAll("[data-passkey]");
const canParse = "PublicKeyCredential" in window && PublicKeyCredential.parseCreationOptionsFromJSON;

async function post(address, body) {
  const csrf = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Accept": "application/json", "Content-Type": "application/json", "X-CSRFToken": csrf },
    body: JSON.stringify(body),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.message);
  return told;
}

async function ask(button) {
  const { options, state } = await post(button.dataset.options, {});
  const credential = button.dataset.passkey === "register"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  const name = document.querySelector("[data-passkey-name]")?.value ?? "";
  const { next } = await post(button.dataset.address, { state, credential: credential.toJSON(), name });
  location.assign(next);
}

for (const button of buttons) {
  // A passkey belongs to one host name; elsewhere, and in older browsers, there is no button.
  button.closest("[data-passkeys]").hidden = !canParse || location.hostname !== button.dataset.host;
  button.addEventListener("click", async () => {
    const note = button.closest("[data-passkeys]").querySelector("[data-passkey-note]");
    note.hidden = true;
    button.disabled = true;
    try {
      await ask(button);
    } catch (problem) {
      // Who closes the browser's window has changed their mind: that is no error.
      note.textContent = problem.name === "NotAllowedError" ? "" : problem.message;
      note.hidden = !note.textContent;
    } finally {
      button.disabled = false;
    }
  });
}
