import type { Devices } from '../media/devices.ts';
import { LevelMeter } from '../media/level-meter.ts';
import { element } from '../page/page-elements.ts';
import { WORDS } from '../words/words.ts';

const SLOW_MS = 600;
const TONE = { hertz: 440, seconds: 0.8, loudness: 0.2 };

type Result = 'good' | 'bad' | 'open';

/** The check of camera, microphone, speaker and network before a person joins. */
export class DeviceCheck {
  #meter: LevelMeter | null = null;

  constructor() {
    for (const id of ['camera', 'microphone', 'network']) show(id, 'open', WORDS.devices.checking);
    show('speaker', 'open', '');
    element('tone', 'button').addEventListener('click', () => void playTone());
    void checkNetwork();
  }

  /** Shows which devices work, and how loud the microphone hears. */
  showDevices({ stream, missingNotice, missingReason }: Devices): void {
    const [camera, microphone] = [stream.getVideoTracks().length > 0, stream.getAudioTracks().length > 0];
    element('lacking', 'p').textContent = missingNotice ?? WORDS.devices.seen;
    element('lacking', 'p').classList.toggle('problem', missingNotice !== null);
    element('asking', 'p').hidden = true;
    element('preview-off', 'span').hidden = camera;
    show('camera', camera ? 'good' : 'bad', camera ? WORDS.devices.works : missingReason);
    show('microphone', microphone ? 'open' : 'bad', microphone ? WORDS.devices.speak : missingReason);
    if (!microphone) return;
    const meter = element('level', 'meter');
    meter.hidden = false;
    this.#meter = new LevelMeter(stream, meter, () => show('microphone', 'good', WORDS.devices.heard));
  }

  /** Called when the person goes in. */
  stop(): void {
    this.#meter?.stop();
    this.#meter = null;
  }
}

function show(id: string, result: Result, words: string): void {
  const row = element(`check-${id}`, 'li');
  row.dataset.result = result;
  const place = row.querySelector('.result');
  if (place) place.textContent = words;
}

async function playTone(): Promise<void> {
  try {
    const context = new AudioContext();
    await context.resume();
    const loudness = new GainNode(context, { gain: 0 });
    const tone = new OscillatorNode(context, { frequency: TONE.hertz });
    tone.connect(loudness).connect(context.destination);
    const now = context.currentTime;
    loudness.gain.linearRampToValueAtTime(TONE.loudness, now + 0.05);
    loudness.gain.linearRampToValueAtTime(0, now + TONE.seconds);
    tone.addEventListener('ended', () => void context.close());
    tone.start(now);
    tone.stop(now + TONE.seconds);
    show('speaker', 'good', WORDS.devices.tonePlayed);
  } catch {
    show('speaker', 'bad', WORDS.devices.noSound);
  }
}

/** Times two quick requests; the second one needs no new connection. */
async function checkNetwork(): Promise<void> {
  try {
    let took = 0;
    for (const _ of [1, 2]) {
      const begun = performance.now();
      await fetch(new URL('../ping-timer.ts', import.meta.url), { cache: 'no-store', signal: AbortSignal.timeout(8_000) });
      took = performance.now() - begun;
    }
    show('network', 'good', took > SLOW_MS ? WORDS.devices.network.slow : WORDS.devices.network.good);
  } catch {
    show('network', 'bad', WORDS.devices.network.none);
  }
}
