// Hides the demo's banner for good. Runs before it is painted.

const banner = document.querySelector("[data-demo]");
const button = banner.querySelector("[data-dismiss]");

banner.hidden = localStorage.getItem("demo:dismissed") === "yes";
button.style.visibility = "visible";
button.addEventListener("click", () => {
  localStorage.setItem("demo:dismissed", "yes");
  banner.hidden = true;
});
