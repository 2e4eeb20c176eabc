const INTERVAL_MS = 100;
/** As long as the interval, so that no sound falls between two readings. */
const WINDOW_SAMPLES = 8_192;
/** Peak of a loud voice at a table; 1 is the largest that a microphone gives. */
const FULL_SCALE = 0.6;

/** Shows how loud a microphone hears, in a `meter` of 0 to 100, until it is stopped. */
export class LevelMeter {
  readonly #context = new AudioContext();
  readonly #timer: number;

  /** @param onHeard called once, when something was heard */
  constructor(stream: MediaStream, meter: HTMLMeterElement, onHeard: () => void) {
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = WINDOW_SAMPLES;
    this.#context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let heard = false;
    this.#timer = setInterval(() => {
      // Browsers start it only after a click on the page.
      if (this.#context.state === 'suspended') void this.#context.resume().catch(() => {});
      analyser.getFloatTimeDomainData(samples);
      const peak = samples.reduce((largest, sample) => Math.max(largest, Math.abs(sample)), 0);
      meter.value = Math.min(100, (100 * peak) / FULL_SCALE);
      if (heard || meter.value < meter.low) return;
      heard = true;
      onHeard();
    }, INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    void this.#context.close().catch(() => {});
  }
}
