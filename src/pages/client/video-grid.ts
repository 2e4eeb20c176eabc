import type { Person } from './protocol.ts';
import { part } from './screen.ts';

interface Seat {
  figure: HTMLElement;
  video: HTMLVideoElement;
  caption: HTMLElement;
  name: string;
  role: Person['role'] | null;
}

/** The others, side by side. */
export class Stage {
  readonly #place = part('people', 'div');
  readonly #seats = new Map<number, Seat>();
  readonly #silenced = new Set<HTMLVideoElement>();

  constructor() {
    // A browser that lets a page play nothing by itself does so once the page was touched.
    addEventListener('click', () => {
      for (const video of this.#silenced) void video.play().catch(() => {});
      this.#silenced.clear();
    });
  }

  /** Names, and who is gone. */
  people(people: Person[], me: number): void {
    const others = people.filter(({ id }) => id !== me);
    for (const { id, name, role } of others) {
      const seat = this.#seatOf(id);
      seat.name = name || (role === 'host' ? 'Your practice' : 'Guest');
      seat.role = role;
      this.#label(seat);
    }
    for (const id of [...this.#seats.keys()]) if (!others.some((other) => other.id === id)) this.remove(id);
    part('alone', 'p').hidden = others.length > 0;
  }

  /** What is seen and heard of somebody. */
  put(id: number, stream: MediaStream): void {
    const { video } = this.#seatOf(id);
    if (video.srcObject === stream) return;
    video.srcObject = stream;
    video.play().catch(({ name }: DOMException) => {
      if (name === 'NotAllowedError') this.#silenced.add(video);
    });
  }

  remove(id: number): void {
    const seat = this.#seats.get(id);
    if (!seat) return;
    seat.video.srcObject = null;
    seat.figure.remove();
    this.#silenced.delete(seat.video);
    this.#seats.delete(id);
  }

  faltering(id: number, bad: boolean): void {
    const seat = this.#seats.get(id);
    if (!seat) return;
    seat.figure.classList.toggle('faltering', bad);
    this.#label(seat);
  }

  /** The pictures of the others. */
  videos(): HTMLVideoElement[] {
    return [...this.#seats.values()].map(({ video }) => video);
  }

  streams(): MediaStream[] {
    return this.videos().flatMap(({ srcObject }) => (srcObject instanceof MediaStream ? [srcObject] : []));
  }

  /** Whom a picture is taken of: a guest, as soon as one is seen. */
  subject(): HTMLVideoElement | null {
    const seen = [...this.#seats.values()].filter(({ video }) => video.videoWidth > 0);
    return (seen.find(({ role }) => role === 'guest') ?? seen[0])?.video ?? null;
  }

  #seatOf(id: number): Seat {
    const known = this.#seats.get(id);
    if (known) return known;
    const figure = document.createElement('figure');
    const video = Object.assign(document.createElement('video'), { autoplay: true, playsInline: true });
    const caption = document.createElement('figcaption');
    figure.append(video, caption);
    this.#place.append(figure);
    const seat: Seat = { figure, video, caption, name: '', role: null };
    this.#seats.set(id, seat);
    return seat;
  }

  #label({ figure, video, caption, name }: Seat): void {
    caption.textContent = figure.classList.contains('faltering') ? `${name} – the connection is bad` : name;
    video.setAttribute('aria-label', name);
  }
}
