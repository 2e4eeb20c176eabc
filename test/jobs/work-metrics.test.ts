import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { register } from 'prom-client';
import { afterAll, describe, expect, it } from 'vitest';
import { createLocalMailer } from '../../src/gateways/mail/local-mailer.ts';
import { MailRefusal } from '../../src/gateways/mail/mailer.ts';
import { measureBacklog } from '../../src/jobs/measures/measure-surroundings.ts';
import { sendMails } from '../../src/jobs/sending/send-mails.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { ownTestApp } from '../support/app.ts';
import { readFamilies, readSamples } from '../support/metrics.ts';
import { eventually } from '../support/server-process.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

const test = await ownTestApp();
const sending = openQueueing(test);
const organizationId = await practiceWithNumber(test);
afterAll(() => sending.outbox.close());

/** The value of a metric with these labels. */
async function value(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const samples = readSamples(await register.metrics(), name);
  return samples.find((sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text))?.value;
}
const mail = { to: 'pat@example.com', subject: 'Your visit', body: 'See you tomorrow.' };

describe('the metrics of work', () => {
  it('have no gauge in a process that runs no jobs', async () => {
    const script = `import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { register } from 'prom-client'; await import('./src/jobs/queue/scheduler.ts'); console.log(await register.metrics());`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const gauges = [...readFamilies(stdout)].filter(([, { type }]) => type === 'gauge');
    expect(gauges.length).toBeGreaterThan(10);
    expect(gauges.filter(([, { samples }]) => samples > 0)).toEqual([]);
  });

  it('tell what waits in each queue, since when, and for how long the audit has no seal', async () => {
    await test.database.prisma.$executeRaw`
      INSERT INTO audit_entry (organization_id, at, actor, action, resource, resource_ids, operation)
      VALUES (${organizationId}, now() - interval '60 seconds', 'test', 'read', 'patient', '{}', 'test')`;
    await sending.mail(organizationId, mail);
    await test.database.prisma.$executeRaw`UPDATE queue.job SET start_after = now() - interval '90 seconds' WHERE name = 'send-mail'`;
    await measureBacklog(test.database);
    expect(await value('queue_jobs', { queue: 'send-mail', state: 'due' })).toBe(1);
    expect(await value('queue_jobs', { queue: 'send-text', state: 'due' })).toBe(0);
    expect(await value('queue_oldest_due_seconds', { queue: 'send-mail' })).toBeGreaterThanOrEqual(90);
    expect(await value('audit_oldest_unsealed_seconds')).toBeGreaterThanOrEqual(60);
    // Only what is older than all open transactions is sealed and shown, those of other tests too.
    await eventually('all is sealed, and nothing hidden', async () => {
      await sealAudit(test.database, test.keyring);
      await measureBacklog(test.database);
      return (await value('audit_oldest_unsealed_seconds')) === 0 && (await value('event_log_hidden_seconds')) === 0;
    });
  });

  it('count what became of each attempt to send', async () => {
    const { id } = await sending.mail(organizationId, mail);
    const job = (send?: () => Promise<never>) =>
      sendMails({
        ...sending,
        keyring: test.keyring,
        mailer: { ...createLocalMailer(test.database.prisma, test.keyring), ...(send ? { send } : {}) },
      });
    const counts = () =>
      Promise.all(
        ['sent', 'refused', 'retried', 'given_up'].map(async (outcome) => (await value('messages_total', { kind: 'mail', outcome })) ?? 0),
      );
    const before = await counts();
    const since = async () => (await counts()).map((count, index) => count - (before[index] ?? 0));
    await job(() => Promise.reject(new Error('greylisted'))).run(organizationId, id);
    expect(await since()).toEqual([0, 0, 1, 0]);
    await job().run(organizationId, id);
    expect(await since()).toEqual([1, 0, 1, 0]);
    const refused = await sending.mail(organizationId, mail);
    await job(() => Promise.reject(new MailRefusal('mail_refused', 'no such mailbox'))).run(organizationId, refused.id);
    await job().giveUp(organizationId, (await sending.mail(organizationId, mail)).id);
    expect(await since()).toEqual([1, 1, 1, 1]);
  });
});
