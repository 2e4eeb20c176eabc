import type { Command } from 'commander';
import { z } from 'zod';
import { liveSigningKeys, rotateSigningKey } from '../domain/identity/signing-keys.ts';
import { masterKeyUse } from '../domain/master-keys.ts';
import { listOrganizations } from '../domain/practices.ts';
import { writeInstant } from '../domain/time.ts';
import type { Declare } from './command.ts';
import { list, type Row } from './output.ts';
import type { Session } from './session.ts';

export function keyCommands(program: Command, { command }: Declare): void {
  const keys = program.command('keys').description('Keys: those that sign access tokens, and the master keys that encrypt.');

  command(keys, 'list', {
    summary: 'List the keys that sign access tokens',
    details: 'A retired key still verifies until the last token that it signed has ended.',
    options: z.object({}),
    run: async (session) =>
      list(await signingKeys(session), 'There are no signing keys yet; the server makes one when it signs its first token.'),
  });

  command(keys, 'rotate', {
    summary: 'Make a new signing key and retire the one before',
    details: 'Nobody is signed out: every server signs with the new key within half a minute, and old tokens stay good until they end.',
    options: z.object({}),
    run: async (session) => {
      const { db, keyring } = session;
      const organizationIds = (await listOrganizations(db)).map(({ id }) => id);
      await session.changeEach(organizationIds, async (tx, callers) => {
        const made = await rotateSigningKey(tx, keyring);
        for (const { organizationId, journal } of callers) {
          journal.events.push({ name: 'signing_key.rotated', subject: 'organization', id: organizationId });
          journal.audits.push({ action: 'administer', resource: 'signing_key', ids: [], detail: `signing_key.rotated ${made}` });
        }
      });
      return list(await signingKeys(session), '');
    },
  });

  command(keys, 'master', {
    summary: 'Say which master keys are in use, and where',
    details:
      'A key that is needed and not among MASTER_KEYS is named on stderr, with exit code 1. An old one with no rows can be taken out of MASTER_KEYS.',
    options: z.object({}),
    run: masterKeys,
  });
}

async function signingKeys({ db, keyring }: Session): Promise<Row[]> {
  const live = new Set((await liveSigningKeys(db, keyring)).map(({ id }) => id));
  const rows = await db.signingKey.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] });
  return rows.map(({ id, privatePem, createdAt, retiredAt }) => ({
    id,
    state: retiredAt === null ? 'signs' : live.has(id) ? 'verifies' : 'retired',
    created_at: writeInstant(createdAt),
    retired_at: writeInstant(retiredAt),
    master_key: privatePem.split('.', 1)[0] ?? null,
  }));
}

async function masterKeys({ db, config }: Session) {
  const uses = await masterKeyUse(db);
  const known = config.MASTER_KEYS.map(({ id }) => id);
  const unused = known
    .filter((id) => !uses.some(({ keyId }) => keyId === id))
    .map((keyId) => ({ keyId, table: null, column: null, rows: 0 }));
  const rows = [...uses, ...unused].map(({ keyId, table, column, rows: count }) => ({
    master_key: keyId,
    state: keyId === known[0] ? 'current' : known.includes(keyId) ? 'old' : 'missing',
    table,
    column,
    rows: count,
  }));
  const missing = new Set(rows.filter(({ state }) => state === 'missing').map(({ master_key }) => master_key));
  const answer = list(rows, '');
  return missing.size === 0 ? answer : { ...answer, complaint: `MASTER_KEYS lacks what is still needed: ${[...missing].join(', ')}.` };
}
