import type { Command } from 'commander';
import { z } from 'zod';
import { readEvents } from '../../domain/logs/event-log.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { limit, text } from '../terminal/options.ts';
import { page } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';
import { triggerCommand } from './event-trigger.ts';

export function eventCommands(program: Command, declare: CommandDeclarer): void {
  const { command } = declare;
  const events = program.command('events').description('The log of changes, in the order in which they were committed.');

  command(events, 'list', {
    summary: 'List what changed in a practice, oldest first',
    details: 'Lists records and fields, never values. Late commits are never skipped: pass the last cursor to continue.',
    options: z.object({
      practice: practice(),
      after: text(100).exactOptional().meta({ placeholder: 'cursor' }).describe('only events after this cursor of an earlier list'),
      limit: limit(50),
    }),
    run: async ({ read }, { practice, after, limit: most }) => {
      const log = await read(practice, (tx) => readEvents(tx, { after: after ?? null, limit: most }));
      const rows = log.events.map((event) => ({
        id: event.id,
        occurred_at: writeInstant(event.occurredAt),
        name: event.name,
        subject: event.subjectType,
        subject_id: event.subjectId,
        changed: event.changed,
        actor: event.actor,
        request_id: event.requestId,
      }));
      const hint = !log.hasMore ? null : `For later events, add: --after ${log.cursor}`;
      return page({ events: rows, cursor: log.cursor }, rows, { none: 'Nothing changed.', hint });
    },
  });
  triggerCommand(events, declare);
}
