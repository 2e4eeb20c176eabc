import { element } from './page-elements.ts';
import type { Person } from './protocol.ts';

interface Tile {
  figure: HTMLElement;
  video: HTMLVideoElement;
  caption: HTMLElement;
  name: string;
  role: Person['role'] | null;
}

/** The videos of the other people, side by side. */
export class VideoGrid {
  readonly #place = element('people', 'div');
  readonly #tiles = new Map<number, Tile>();
  readonly #blocked = new Set<HTMLVideoElement>();

  constructor() {
    // Browsers that block autoplay allow it after a click on the page.
    addEventListener('click', () => {
      for (const video of this.#blocked) void video.play().catch(() => {});
      this.#blocked.clear();
    });
  }

  /** Sets names and roles, and removes the tiles of people who left. */
  setPeople(people: Person[], me: number): void {
    const others = people.filter(({ id }) => id !== me);
    for (const { id, name, role } of others) {
      const tile = this.#tileOf(id);
      tile.name = name || (role === 'host' ? 'Your practice' : 'Guest');
      tile.role = role;
      this.#label(tile);
    }
    for (const id of [...this.#tiles.keys()]) if (!others.some((other) => other.id === id)) this.remove(id);
    element('alone', 'p').hidden = others.length > 0;
  }

  /** Sets the video and audio of a person. */
  setStream(id: number, stream: MediaStream): void {
    const { video } = this.#tileOf(id);
    if (video.srcObject === stream) return;
    video.srcObject = stream;
    video.play().catch(({ name }: DOMException) => {
      if (name === 'NotAllowedError') this.#blocked.add(video);
    });
  }

  remove(id: number): void {
    const tile = this.#tiles.get(id);
    if (!tile) return;
    tile.video.srcObject = null;
    tile.figure.remove();
    this.#blocked.delete(tile.video);
    this.#tiles.delete(id);
  }

  setQuality(id: number, bad: boolean): void {
    const tile = this.#tiles.get(id);
    if (!tile) return;
    tile.figure.classList.toggle('faltering', bad);
    this.#label(tile);
  }

  /** The video elements of all other people. */
  videos(): HTMLVideoElement[] {
    return [...this.#tiles.values()].map(({ video }) => video);
  }

  streams(): MediaStream[] {
    return this.videos().flatMap(({ srcObject }) => (srcObject instanceof MediaStream ? [srcObject] : []));
  }

  /** The video of which the host takes a picture: a guest's, if one is visible. */
  pictureSubject(): HTMLVideoElement | null {
    const seen = [...this.#tiles.values()].filter(({ video }) => video.videoWidth > 0);
    return (seen.find(({ role }) => role === 'guest') ?? seen[0])?.video ?? null;
  }

  #tileOf(id: number): Tile {
    const known = this.#tiles.get(id);
    if (known) return known;
    const figure = document.createElement('figure');
    const video = Object.assign(document.createElement('video'), { autoplay: true, playsInline: true });
    const caption = document.createElement('figcaption');
    figure.append(video, caption);
    this.#place.append(figure);
    const tile: Tile = { figure, video, caption, name: '', role: null };
    this.#tiles.set(id, tile);
    return tile;
  }

  #label({ figure, video, caption, name }: Tile): void {
    caption.textContent = figure.classList.contains('faltering') ? `${name} – the connection is bad` : name;
    video.setAttribute('aria-label', name);
  }
}
