// Sound and vibration for each answer: staff look at people, not at the phone.

const TUNES = { valid: [[880, 0.09], [1320, 0.14]], unsure: [[520, 0.15], [520, 0.15]], not_yet: [[520, 0.15], [390, 0.2]] };
const NO = [[220, 0.22], [165, 0.35]];
const FELT = { valid: [60], unsure: [60, 60, 60], not_yet: [60, 60, 60] };
let audio = null;

/** Browsers allow sound only after a user gesture. */
export function wakeSound() {
  audio ??= "AudioContext" in window ? new AudioContext() : null;
  audio?.resume();
}

export function signal(answer) {
  navigator.vibrate?.(FELT[answer] ?? [200, 80, 200]);
  if (audio?.state === "running") play(TUNES[answer] ?? NO);
}

function play(tune) {
  let start = audio.currentTime;
  for (const [pitch, length] of tune) {
    const tone = audio.createOscillator(), volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.25, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start += length);
  }
}
