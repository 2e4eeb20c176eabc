import type { Person } from '../../../realtime/room-protocol.ts';
import { ask } from '../page/dialogs.ts';
import { element, showBriefly } from '../page/page-elements.ts';
import type { ToServer } from '../protocol.ts';
import { WORDS } from '../words/words.ts';
import { writeName } from './video-grid.ts';

interface PeoplePanelOptions {
  isHost: boolean;
  sendMessage(message: ToServer): void;
}

/** The list of the people in the visit. A host takes people out of it, and attaches the chart of a guest. */
export class PeoplePanel {
  readonly #options: PeoplePanelOptions;
  /** Keeps the rows, so that a button that is pressed or has the focus is not replaced. */
  readonly #rows = new Map<number, HTMLLIElement>();
  /** The guest for whom a chart was looked for last. */
  #attaching: Person | null = null;

  constructor(options: PeoplePanelOptions) {
    this.#options = options;
  }

  show(people: Person[], me: number): void {
    const list = element('people-list', 'ul');
    for (const [id, row] of this.#rows) {
      if (people.some((person) => person.id === id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    const attached = people.find(({ id, patient_uuid }) => id === this.#attaching?.id && patient_uuid !== this.#attaching.patient_uuid);
    if (attached) {
      this.#attaching = null;
      showBriefly(WORDS.people.attached(writeName(attached)));
    }
    for (const person of people) {
      const row = this.#rows.get(person.id) ?? this.#addRow(list, person.id);
      this.#fill(row, person, person.id === me);
    }
  }

  #addRow(list: HTMLUListElement, id: number): HTMLLIElement {
    const row = document.createElement('li');
    this.#rows.set(id, row);
    list.append(row);
    return row;
  }

  #fill(row: HTMLLIElement, person: Person, isMe: boolean): void {
    const key = `${person.kind} ${person.patient_uuid ?? ''} ${person.name}`;
    if (row.dataset.key === key) return;
    row.dataset.key = key;
    const words = document.createElement('span');
    const name = document.createElement('strong');
    name.textContent = isMe ? `${writeName(person)} (${WORDS.people.you})` : writeName(person);
    const kind = document.createElement('span');
    kind.className = 'hint';
    kind.textContent = this.#writeKind(person);
    words.append(name, kind);
    row.replaceChildren(words, ...(this.#options.isHost && !isMe && person.role === 'guest' ? this.#actions(person) : []));
  }

  /** Only the practice is told that a guest has no chart there. */
  #writeKind({ kind }: Person): string {
    return kind === 'guest' && !this.#options.isHost ? WORDS.people.guest : WORDS.people.kinds[kind];
  }

  #actions(person: Person): HTMLButtonElement[] {
    const remove = button(WORDS.people.remove, person, () => this.#remove(person));
    if (person.kind !== 'guest' && !person.attached) return [remove];
    const label = person.attached ? WORDS.people.attachAnother : WORDS.people.attach;
    return [button(label, person, () => this.#attach(person)), remove];
  }

  async #remove(person: Person): Promise<void> {
    element('remove-who', 'p').textContent = WORDS.people.removeWho(writeName(person));
    if ((await ask('remove-question')) === 'yes') this.#options.sendMessage({ type: 'remove', person: person.id });
  }

  async #attach(person: Person): Promise<void> {
    for (const id of ['attach-name', 'attach-first-name', 'attach-birth']) element(id, 'input').value = '';
    await this.#askForChart(person, '');
  }

  /** Asks again which chart it is, with what was written so far, where the server found none. */
  async askAgain(problem: string): Promise<void> {
    if (this.#attaching) await this.#askForChart(this.#attaching, problem);
  }

  async #askForChart(person: Person, problem: string): Promise<void> {
    this.#attaching = null;
    element('attach-who', 'strong').textContent = writeName(person);
    element('attach-problem', 'p').textContent = problem;
    element('attach-problem', 'p').hidden = problem === '';
    if ((await ask('attach-question')) !== 'yes') return;
    this.#attaching = person;
    const [lastName, birthDate] = [element('attach-name', 'input').value.trim(), element('attach-birth', 'input').value];
    const firstName = element('attach-first-name', 'input').value.trim();
    const message = { type: 'attach', person: person.id, last_name: lastName, birth_date: birthDate } as const;
    this.#options.sendMessage(firstName === '' ? message : { ...message, first_name: firstName });
  }
}

function button(label: string, person: Person, press: () => Promise<void>): HTMLButtonElement {
  const made = Object.assign(document.createElement('button'), { type: 'button', className: 'button plain small', textContent: label });
  made.ariaLabel = `${label}: ${writeName(person)}`;
  made.addEventListener('click', () => void press());
  return made;
}
