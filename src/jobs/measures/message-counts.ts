import { Counter } from 'prom-client';

const KINDS = ['text', 'mail', 'push'] as const;
/** `retried`: the attempt failed, and there will be another; `given_up`: there will be none. */
const OUTCOMES = ['sent', 'refused', 'retried', 'given_up'] as const;

const messages = new Counter({
  name: 'messages_total',
  help: 'Attempts of this process to send texts, mails and pushes, by what became of them',
  labelNames: ['kind', 'outcome'],
});
// A rate can be told from the first one on only where there was a zero before it.
for (const kind of KINDS) for (const outcome of OUTCOMES) messages.inc({ kind, outcome }, 0);

export function countMessage(kind: (typeof KINDS)[number], outcome: (typeof OUTCOMES)[number]): void {
  messages.inc({ kind, outcome });
}
