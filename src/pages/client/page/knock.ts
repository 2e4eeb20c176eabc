/** A knock at the door, played to whoever lets people in. */

let audio: AudioContext | null = null;

/** Browsers play a sound only on a page that was clicked or typed on. */
for (const gesture of ['pointerdown', 'keydown'] as const) {
  addEventListener(
    gesture,
    () => {
      audio ??= 'AudioContext' in window ? new AudioContext() : null;
      void audio?.resume();
    },
    { capture: true },
  );
}

/** Seconds after the start at which one knocks. */
const KNOCKS = [0, 0.18] as const;

/** Knocks twice, softly. Silent on a page that nobody has touched yet. */
export function playKnock(): void {
  if (audio?.state !== 'running') return;
  for (const after of KNOCKS) knockOnce(audio, audio.currentTime + after);
}

function knockOnce(context: AudioContext, at: number): void {
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.setValueAtTime(520, at);
  tone.frequency.exponentialRampToValueAtTime(220, at + 0.12);
  volume.gain.setValueAtTime(0.25, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.14);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.15);
}
