import { captureFrame, upload } from '../media/capture.ts';
import { element, showBriefly, showNotice } from '../page/page-elements.ts';
import type { ToServer } from '../protocol.ts';
import { errorWords, WORDS } from '../words/words.ts';

declare global {
  /** W3C, MediaStream Image Capture; only some browsers have it. */
  interface Window {
    ImageCapture?: new (track: MediaStreamTrack) => { takePhoto(): Promise<Blob> };
  }
}

/** The largest that the camera has. */
const FULL_SIZE: MediaTrackConstraints = { facingMode: { ideal: 'environment' }, width: { ideal: 4096 }, height: { ideal: 3072 } };

interface StillAnswerOptions {
  sendMessage(message: ToServer): void;
  roomToken(): string;
  me(): number;
  /** Lets go of the camera of the visit meanwhile, since many phones open one camera only; and opens it again. */
  pauseCamera(): Promise<void>;
  resumeCamera(): Promise<void>;
}

interface StillRequest {
  id: number;
  body_site: string | null;
}

/** Takes the picture that a host asked for, with the back camera, and sends it when the guest says so. */
export class StillAnswer {
  readonly #options: StillAnswerOptions;
  #request: StillRequest | null = null;
  #camera: MediaStreamTrack | null = null;
  #picture: Blob | null = null;

  constructor(options: StillAnswerOptions) {
    this.#options = options;
    element('still-take', 'button').addEventListener('click', () => void this.#take());
    element('still-again', 'button').addEventListener('click', () => this.#show(null));
    element('still-send', 'button').addEventListener('click', () => void this.#send());
    element('still-no', 'button').addEventListener('click', () => element('still', 'dialog').close());
    element('still', 'dialog').addEventListener('close', () => void this.#finish());
  }

  /** Shows what is asked for, and opens the back camera. */
  async receive(request: StillRequest): Promise<void> {
    if (this.#request) return;
    this.#request = request;
    element('still-what', 'p').textContent = request.body_site ? WORDS.still.asks(request.body_site) : '';
    this.#show(null);
    element('still', 'dialog').showModal();
    try {
      await this.#options.pauseCamera();
      const opened = await navigator.mediaDevices.getUserMedia({ video: FULL_SIZE });
      this.#camera = opened.getVideoTracks()[0] ?? null;
      element('still-preview', 'video').srcObject = opened;
    } catch {
      this.#fail(WORDS.still.noCamera);
    }
    if (!this.#request) this.#camera?.stop();
  }

  async #take(): Promise<void> {
    const button = element('still-take', 'button');
    button.disabled = true;
    try {
      this.#show(await this.#capture());
      element('still-send', 'button').focus();
    } catch (error) {
      this.#fail(errorWords(error, WORDS.pictures.failed));
    }
    button.disabled = false;
  }

  /** The camera's own picture, untouched, where the browser gives it; else the present frame in full size. */
  async #capture(): Promise<Blob> {
    const { ImageCapture } = window;
    const photo = ImageCapture && this.#camera ? await new ImageCapture(this.#camera).takePhoto().catch(() => null) : null;
    return photo && /^image\/(jpeg|png|webp)$/.test(photo.type) ? photo : captureFrame(element('still-preview', 'video'));
  }

  async #send(): Promise<void> {
    const { roomToken, me } = this.#options;
    if (!this.#picture || !this.#request) return;
    for (const id of ['still-send', 'still-again']) element(id, 'button').disabled = true;
    showNotice(WORDS.still.sending);
    try {
      await upload('images', roomToken, { file: this.#picture, patient: me(), still: this.#request.id });
      this.#request = null;
      element('still', 'dialog').close();
      showBriefly(WORDS.still.sent);
    } catch (error) {
      showNotice(null);
      this.#fail(errorWords(error, WORDS.pictures.refused));
    }
    for (const id of ['still-send', 'still-again']) element(id, 'button').disabled = false;
  }

  /** The guest closed the dialog, or the picture was sent. */
  async #finish(): Promise<void> {
    if (this.#request) this.#options.sendMessage({ type: 'still_refused', id: this.#request.id });
    this.#request = null;
    this.#camera?.stop();
    this.#camera = null;
    element('still-preview', 'video').srcObject = null;
    this.#show(null);
    await this.#options.resumeCamera().catch(() => {});
  }

  /** Shows the picture that was taken, or what the camera sees. */
  #show(picture: Blob | null): void {
    const taken = element('still-taken', 'img');
    if (taken.src) URL.revokeObjectURL(taken.src);
    taken.removeAttribute('src');
    if (picture) taken.src = URL.createObjectURL(picture);
    this.#picture = picture;
    taken.hidden = picture === null;
    element('still-preview', 'video').hidden = picture !== null;
    for (const id of ['still-send', 'still-again']) element(id, 'button').hidden = picture === null;
    element('still-take', 'button').hidden = picture !== null;
    element('still-problem', 'p').hidden = true;
  }

  #fail(words: string): void {
    const place = element('still-problem', 'p');
    place.textContent = words;
    place.hidden = false;
  }
}
