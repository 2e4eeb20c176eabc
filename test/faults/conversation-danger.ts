import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, startServer } from '../support/server-process.ts';

/** Milliseconds after the start of a worker in which it is killed or paused. */
const KILL_WITHIN_MS = 2_500;
const LONGEST_PAUSE_MS = 1_500;
/**
 * A carrier takes its time, so that kills fall into it, and its record has the moment at which it took a text. Of each attempt at a
 * text it is noted when its decision was begun and when it was made: what is taken later was on its way.
 */
export const SLOW_CARRIER = `
  CREATE SCHEMA proof;
  CREATE TABLE proof.attempt (organization_id int, text_id bigint, began_at timestamptz, made_at timestamptz);
  CREATE FUNCTION proof.note_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN INSERT INTO proof.attempt VALUES (NEW.organization_id, NEW.id, now(), clock_timestamp()); RETURN NEW; END $$;
  CREATE TRIGGER note_attempt AFTER UPDATE ON sms_message FOR EACH ROW
    WHEN (NEW.attempts > OLD.attempts) EXECUTE FUNCTION proof.note_attempt();
  CREATE FUNCTION slow_carrier() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(random() * 0.3); NEW.received_at := clock_timestamp(); RETURN NEW; END $$;
  CREATE TRIGGER slow_carrier BEFORE INSERT ON carrier_text FOR EACH ROW EXECUTE FUNCTION slow_carrier()`;

/** The harm that was done. */
export interface Figures {
  kills: number;
  pauses: number;
}

/** A worker that is killed again and again until all stories are told, some times after it was paused. The last one lives on. */
export async function endanger(dataDir: string, figures: Figures, isOver: () => boolean): Promise<void> {
  for (;;) {
    const worker = startServer(dataDir, { LOG_LEVEL: 'info' }, { command: [process.execPath, 'scripts/worker.mjs'] });
    await eventually('a worker works', async () => worker.screen().includes('worker started'), 60_000);
    if (isOver()) return;
    await sleep(randomInt(KILL_WITHIN_MS));
    if (randomInt(2) === 0) {
      worker.kill('SIGSTOP');
      await sleep(randomInt(LONGEST_PAUSE_MS));
      worker.kill('SIGCONT');
      figures.pauses += 1;
      await sleep(randomInt(500));
    }
    worker.kill('SIGKILL');
    await worker.exited;
    figures.kills += 1;
  }
}
