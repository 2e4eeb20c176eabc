import type { Person } from '../../../realtime/room-protocol.ts';
import { type Quality, Tile } from '../media/tile.ts';
import { element } from '../page/page-elements.ts';
import type { PersonState } from '../protocol.ts';
import { WORDS } from '../words/words.ts';

export const writeName = ({ name, role }: Pick<Person, 'name' | 'role'>): string =>
  name || (role === 'host' ? WORDS.people.practice : WORDS.people.guest);

/** The name with the mark of who has no chart, and may have chosen the name of somebody else. */
export const markedName = (person: Person): string =>
  person.kind === 'guest' && person.name !== '' ? WORDS.people.asGuest(person.name) : writeName(person);

export class VideoGrid {
  readonly #place = element('people', 'div');
  readonly #tiles = new Map<number, Tile>();
  /** The state of each person's devices, which may come before the person is shown. */
  readonly #states = new Map<number, PersonState>();
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
    for (const person of others) {
      const tile = this.#findOrCreateTile(person.id);
      tile.name = writeName(person);
      tile.kind = WORDS.people.marks[person.kind];
      tile.isGuest = person.role === 'guest';
      tile.show();
    }
    for (const id of [...this.#tiles.keys()]) if (!others.some((other) => other.id === id)) this.remove(id);
    this.#count();
  }

  setStream(id: number, stream: MediaStream): void {
    const { video } = this.#findOrCreateTile(id);
    if (video.srcObject === stream) return;
    video.srcObject = stream;
    video.play().catch(({ name }: DOMException) => {
      if (name === 'NotAllowedError') this.#blocked.add(video);
    });
  }

  setState(id: number, state: PersonState): void {
    this.#states.set(id, state);
    const tile = this.#tiles.get(id);
    if (!tile) return;
    tile.state = state;
    tile.show();
  }

  setQuality(id: number, quality: Quality): void {
    const tile = this.#tiles.get(id);
    if (!tile) return;
    tile.quality = quality;
    tile.show();
  }

  remove(id: number): void {
    const tile = this.#tiles.get(id);
    if (!tile) return;
    tile.video.srcObject = null;
    tile.figure.remove();
    this.#blocked.delete(tile.video);
    this.#tiles.delete(id);
    this.#states.delete(id);
    this.#count();
  }

  /** The videos of the other people that are to be seen. */
  videos(): HTMLVideoElement[] {
    return [...this.#tiles.values()].filter(({ isSeen }) => isSeen).map(({ video }) => video);
  }

  streams(): MediaStream[] {
    return [...this.#tiles.values()].flatMap(({ video }) => (video.srcObject instanceof MediaStream ? [video.srcObject] : []));
  }

  /** The guests of whom a picture can be taken now, by participant id. */
  pictureSubjects(): { id: number; name: string; video: HTMLVideoElement }[] {
    return [...this.#tiles].filter(([, tile]) => tile.isGuest && tile.isSeen).map(([id, { name, video }]) => ({ id, name, video }));
  }

  #findOrCreateTile(id: number): Tile {
    const known = this.#tiles.get(id);
    if (known) return known;
    const tile = new Tile();
    tile.state = this.#states.get(id) ?? tile.state;
    this.#place.append(tile.figure);
    this.#tiles.set(id, tile);
    this.#count();
    return tile;
  }

  /** The style sheet lays out one to four tiles; the own tile is one of them. */
  #count(): void {
    element('stage', 'div').dataset.tiles = String(this.#tiles.size + 1);
    element('alone', 'div').hidden = this.#tiles.size > 0;
  }
}
