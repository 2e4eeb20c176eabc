const INTERVAL_MS = 100;
/** A voice at a table is some 0.1 of the full scale. */
const FULL_SCALE = 0.25;

/** Shows how loud a microphone hears, in a `meter` of 0 to 100, until it is stopped. */
export class LevelMeter {
  readonly #context = new AudioContext();
  readonly #timer: number;

  /** @param onHeard called once, when something was heard */
  constructor(stream: MediaStream, meter: HTMLMeterElement, onHeard: () => void) {
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = 1024;
    this.#context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let heard = false;
    this.#timer = setInterval(() => {
      // Browsers start it only after a click on the page.
      if (this.#context.state === 'suspended') void this.#context.resume().catch(() => {});
      analyser.getFloatTimeDomainData(samples);
      const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
      meter.value = Math.min(100, (100 * level) / FULL_SCALE);
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
