import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import type { EventName } from '../events/catalogue.ts';
import type { NewEvent } from '../journal.ts';

/** The consequence that a change of one area has in another, in the same transaction, whichever API made the change. */
export type Reaction = (db: Db, caller: Caller, event: NewEvent) => Promise<void>;

/** The reactions of one area, by event. A reaction may record events, to which others react. */
export type Reactions = Readonly<Partial<Record<EventName, Reaction>>>;

/** Runs the reactions of the areas to the events of a journal, in their order. */
export async function react(areas: readonly Reactions[], db: Db, caller: Caller): Promise<void> {
  // An array's iterator also comes to what is appended on the way.
  for (const event of caller.journal.events) {
    for (const reactions of areas) await reactions[event.name]?.(db, caller, event);
  }
}
