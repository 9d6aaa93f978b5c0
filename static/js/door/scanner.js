// The camera. Uses the browser's QR reader if there is one; otherwise loads jsQR when needed.

const PAUSE = 120, WIDEST = 720;

export class Scanner {
  #video; #decoder; #found; #stream = null; #read = null; #lock = null;
  #canvas = document.createElement("canvas");

  /** `found` is called with every text that is read, repeatedly. */
  constructor(video, decoder, found) {
    this.#video = video;
    this.#decoder = decoder;
    this.#found = found;
    document.addEventListener("visibilitychange", () => this.#stream && !document.hidden && this.#stayAwake());
  }

  async start() {
    const wish = { video: { facingMode: "environment", width: { ideal: 1280 } }, audio: false };
    this.#stream = await navigator.mediaDevices.getUserMedia(wish);
    this.#video.srcObject = this.#stream;
    await this.#video.play();
    this.#read ??= (await builtIn()) ?? (await this.#vendored());
    this.#stayAwake();
    this.#look();
  }

  stop() {
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = this.#video.srcObject = null;
    this.#lock?.release();
    this.#lock = null;
  }

  async #look() {
    if (!this.#stream) return;
    const text = document.hidden ? null : await this.#read(this.#video).catch(() => null);
    if (text) this.#found(text);
    setTimeout(() => this.#look(), PAUSE);
  }

  async #vendored() {
    await load(this.#decoder);
    return async (video) => {
      const scale = Math.min(1, WIDEST / video.videoWidth);
      const { width, height } = Object.assign(this.#canvas, { width: video.videoWidth * scale, height: video.videoHeight * scale });
      const paper = this.#canvas.getContext("2d", { willReadFrequently: true });
      paper.drawImage(video, 0, 0, width, height);
      const { data } = paper.getImageData(0, 0, width, height);
      return window.jsQR(data, width, height, { inversionAttempts: "dontInvert" })?.data ?? null;
    };
  }

  async #stayAwake() {
    this.#lock = await navigator.wakeLock?.request("screen").catch(() => null) ?? null;
  }
}

async function builtIn() {
  const formats = await window.BarcodeDetector?.getSupportedFormats().catch(() => []) ?? [];
  if (!formats.includes("qr_code")) return null;
  const detector = new window.BarcodeDetector({ formats: ["qr_code"] });
  return async (video) => (await detector.detect(video))[0]?.rawValue ?? null;
}

function load(address) {
  return new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: address, onload: resolve, onerror: reject }));
  });
}
