import type { PersonState } from '../protocol.ts';
import { WORDS } from '../words/words.ts';

export type Quality = 'connecting' | 'connected' | 'poor' | 'reconnecting';

/** Initials of the first and the last word of a name. */
export function toInitials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** The labels of a tile beside the name. */
export function stateWords({ microphone, camera, sharing }: PersonState, quality: Quality): string {
  const { states } = WORDS;
  return [
    quality === 'connected' ? '' : states[quality],
    microphone ? '' : states.muted,
    camera || sharing ? '' : states.cameraOff,
    sharing ? states.sharing : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** The picture of one other person, with name and state. */
export class Tile {
  readonly figure = document.createElement('figure');
  readonly video = Object.assign(document.createElement('video'), { autoplay: true, playsInline: true });
  readonly #initials = document.createElement('span');
  readonly #name = document.createElement('span');
  readonly #kind = document.createElement('span');
  readonly #state = document.createElement('span');
  name = '';
  /** Beside the name: that somebody is of the practice, or came without a chart. */
  kind = '';
  isGuest = false;
  quality: Quality = 'connecting';
  state: PersonState = { microphone: true, camera: true, sharing: false };

  constructor() {
    this.figure.className = 'tile';
    this.#initials.className = 'initials';
    this.#initials.ariaHidden = 'true';
    this.#name.className = 'name';
    this.#kind.className = 'kind';
    this.#state.className = 'state';
    const caption = document.createElement('figcaption');
    caption.append(this.#name, this.#kind, this.#state);
    this.figure.append(this.video, this.#initials, caption);
    for (const event of ['loadeddata', 'resize']) this.video.addEventListener(event, () => this.show());
  }

  get isSeen(): boolean {
    return this.video.videoWidth > 0 && (this.state.camera || this.state.sharing);
  }

  show(): void {
    const { figure, video, state, quality, name } = this;
    figure.dataset.quality = quality;
    figure.classList.toggle('is-muted', !state.microphone);
    figure.classList.toggle('is-sharing', state.sharing);
    video.hidden = !this.isSeen;
    this.#initials.hidden = this.isSeen;
    this.#initials.textContent = toInitials(name);
    this.#name.textContent = name;
    this.#kind.textContent = this.kind;
    this.#state.textContent = stateWords(state, quality);
    video.ariaLabel = name;
  }
}
