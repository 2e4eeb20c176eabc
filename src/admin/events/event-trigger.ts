import type { Command } from 'commander';
import { z } from 'zod';
import { recordChange, writeJournal } from '../../domain/audit/journal-entries.ts';
import { EVENT_NAMES, EVENTS, type EventName } from '../../domain/events/catalogue.ts';
import { publicName } from '../../domain/events/public-event.ts';
import { emptyJournal } from '../../domain/journal.ts';
import { demoOrganization, givenOrDemo, requireDemo } from '../installation/demo-practice.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { reading } from '../terminal/options.ts';
import { record } from '../terminal/output.ts';
import { findSubject } from './event-subjects.ts';

/** Names of fields that a made-up event has, of those that its kind may name. */
const FIELDS = 2;

const subjectOption = () =>
  z
    .string()
    .regex(/^[a-z_]+:[1-9]\d{0,14}$/, 'must be the kind of a record and its id, such as patient:12')
    .transform((sent) => {
      const [type = '', id = ''] = sent.split(':');
      return { type, id: Number(id) };
    })
    .exactOptional()
    .meta({ placeholder: 'kind:id' })
    .describe('the record that it is about (default: the oldest of its kind)');

export function triggerCommand(events: Command, { command }: CommandDeclarer): void {
  command(events, 'trigger', {
    summary: 'Write an event of the catalogue in a demo practice, to try a receiver with',
    details: 'The log keeps it and endpoints receive it like any other event; nothing else changes. The record must exist.',
    options: z.object({
      type: z
        .string()
        .transform(reading(readName, (sent) => `there is no event "${sent.slice(0, 100)}"; docs/events.md lists them`))
        .meta({ positional: true })
        .describe('kind of event, such as patient.registered'),
      subject: subjectOption(),
      organization: demoOrganization(),
    }),
    run: async (session, { type: name, subject, organization }) => {
      const organizationId = await givenOrDemo(session, organization);
      await requireDemo(session, organizationId);
      const { subject: kind, fields } = EVENTS[name];
      if (subject !== undefined && subject.type !== kind)
        throw new UsageError(`--subject: ${name} is about a record of the kind ${kind}, such as ${kind}:12.`);
      const id = await findSubject(session.db, organizationId, { type: kind, id: subject?.id ?? null });
      if (id === null) throw new UsageError(noSubject(organizationId, kind, subject?.id));
      const changed = fields.slice(0, FIELDS);
      await session.write(organizationId, async (db, caller) => {
        // A journal beside that of the unit of work: nothing reacts to a change that was none.
        const beside = { ...caller, journal: emptyJournal() };
        recordChange(beside, 'administer', { name, id, changed });
        await writeJournal(db, beside);
      });
      return record({ organization_id: organizationId, type: name, subject: `${kind}:${id}`, changed: changed.map(publicName) });
    },
  });
}

const readName = (sent: string): EventName | null => EVENT_NAMES.find((name) => name === sent) ?? null;

const noSubject = (organizationId: number, kind: string, id: number | undefined): string =>
  id === undefined
    ? `Practice ${organizationId} has no record of the kind ${kind} yet.`
    : `--subject: practice ${organizationId} has no ${kind}:${id}.`;
