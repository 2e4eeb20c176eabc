import type { Person } from '../../../realtime/room-protocol.ts';
import { element } from '../page/page-elements.ts';
import type { Joined } from '../protocol.ts';
import { WORDS } from '../words/words.ts';

/** Says to a patient who is alone in the visit what to do, and whom to call. */
export class HostGone {
  #wasHere = false;

  show(others: Person[], { host, practice }: Joined): void {
    const isHere = others.some(({ role }) => role === 'host');
    const isGone = this.#wasHere && !isHere;
    this.#wasHere ||= isHere;
    element('host-gone-words', 'p').textContent = isGone ? WORDS.people.hostGone(host ?? practice) : '';
    element('host-gone', 'div').hidden = !isGone;
  }
}
