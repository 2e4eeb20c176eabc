import type { Command } from 'commander';
import { z } from 'zod';
import { recordChange, writeJournal } from '../../domain/audit/journal-entries.ts';
import { EVENT_NAMES, EVENTS, type EventName } from '../../domain/events/catalogue.ts';
import { inPractice, type PracticeTx, unrecorded } from '../../domain/tx.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { snakeCase } from '../../records/field.ts';
import { chooseOrDemo, demoPractice, requireDemo } from '../installation/demo-practice.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { reading } from '../terminal/options.ts';
import { record } from '../terminal/output.ts';

/** Kinds of records whose table has another name, or whose id in events is another than that of the row. */
const TABLES: Readonly<Record<string, { table?: string; id?: string; where?: string }>> = {
  insurance_package: { id: 'number' },
  text: { table: 'sms_message' },
  mail: { table: 'mail_message' },
  consent: { table: 'opt_out' },
  // Events name the interface user of a client in the practice.
  api_client: { table: 'api_client_grant', id: 'user_id' },
  user: { table: '"user"' },
  // Events name a month by its digits, 202611.
  closed_month: { id: "replace(month, '-', '')::bigint" },
  organization: { table: '(SELECT id, id AS organization_id FROM organization)' },
  webhook_endpoint: { where: 'deleted_at IS NULL' },
  // Webhooks have no events of restricted charts.
  patient: { where: 'NOT restricted' },
  import: { table: 'import_run' },
};

/**
 * The id of a record of this kind in a practice: the given one, or else the oldest.
 * @param type a kind of the catalogue
 * @returns null where there is none
 */
export async function findSubject(tx: PracticeTx, { type, id }: { type: string; id: number | null }): Promise<number | null> {
  const { table = type, id: idColumn = 'id', where = 'true' } = TABLES[type] ?? {};
  const which = id === null ? Prisma.raw(where) : Prisma.sql`${Prisma.raw(idColumn)} = ${BigInt(id)}::bigint`;
  const [found] = await tx.prisma.$queryRaw<{ id: bigint }[]>`
    SELECT (${Prisma.raw(idColumn)})::bigint AS id FROM ${Prisma.raw(table)} AS records
     WHERE organization_id = ${tx.organizationId} AND ${which}
     ORDER BY 1 LIMIT 1`;
  return found ? Number(found.id) : null;
}

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
    .describe('record of the event (default: the oldest of its kind)');

export function triggerCommand(events: Command, { command }: CommandDeclarer): void {
  command(events, 'trigger', {
    summary: 'Write an event to the log of a demo practice, to try a receiver',
    details: 'The event is logged and delivered like any other; nothing else changes. The record must exist.',
    options: z.object({
      type: z
        .string()
        .transform(reading(readName, (sent) => `there is no event "${sent.slice(0, 100)}"; docs/events.md lists them`))
        .meta({ positional: true })
        .describe('kind of event, such as patient.registered'),
      subject: subjectOption(),
      practice: demoPractice(),
    }),
    run: async (session, { type: name, subject, practice }) => {
      const organizationId = await chooseOrDemo(session, practice);
      await requireDemo(session, organizationId);
      const { subject: kind, fields } = EVENTS[name];
      if (subject !== undefined && subject.type !== kind)
        throw new UsageError(`--subject: ${name} is about a record of the kind ${kind}, such as ${kind}:12.`);
      const id = await findSubject(inPractice(session.db, organizationId), { type: kind, id: subject?.id ?? null });
      if (id === null) throw new UsageError(noSubject(organizationId, kind, subject?.id));
      const changed = fields.slice(0, FIELDS);
      await session.write(organizationId, async (tx) => {
        // A journal beside that of the unit of work: nothing reacts to a change that was none.
        const beside = unrecorded(tx);
        recordChange(beside, 'administer', { name, id, changed });
        await writeJournal(beside);
      });
      return record({ practice_id: organizationId, type: name, subject: `${kind}:${id}`, changed: changed.map(snakeCase) });
    },
  });
}

const readName = (sent: string): EventName | null => EVENT_NAMES.find((name) => name === sent) ?? null;

const noSubject = (organizationId: number, kind: string, id: number | undefined): string =>
  id === undefined
    ? `Practice ${organizationId} has no record of the kind ${kind} yet.`
    : `--subject: practice ${organizationId} has no ${kind}:${id}.`;
