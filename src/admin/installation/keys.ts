import type { Command } from 'commander';
import { z } from 'zod';
import { listProcessesLacking } from '../../database/running-processes.ts';
import { conflict } from '../../domain/errors.ts';
import { liveSigningKeys, readMasterKeyId, rotateSigningKey } from '../../domain/identity/signing-keys.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { renewEncryptedValues } from '../../jobs/upkeep/renew-encrypted-values.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { count, folderOrBucket } from '../terminal/options.ts';
import { type CommandResult, list, type Row } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { remarkOnOldKeys, showKeyUses } from './key-uses.ts';

export function keyCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const keys = program.command('keys').description('Signing keys of access tokens, and master keys for encryption.');

  command(keys, 'list', {
    summary: 'List the keys that sign access tokens',
    details: 'A retired key verifies tokens until the last one that it signed expires.',
    options: z.object({}),
    keys: 'none',
    run: async (session) =>
      list(await signingKeys(session), 'There are no signing keys yet; the server creates one when it signs its first token.'),
  });

  command(keys, 'rotate', {
    summary: 'Create a signing key and retire the previous one',
    details: 'Sessions continue: every server signs with the new key within half a minute, and old tokens stay valid until they expire.',
    options: z.object({ force }),
    run: async (session, options) => {
      await requireKeyEverywhere(session, options);
      const { db, keyring, config } = session;
      const organizationIds = (await listOrganizations(db)).map(({ id }) => id);
      await session.writeEach(organizationIds, async (tx, callers) => {
        const made = await rotateSigningKey(tx, keyring, config.LOST_MASTER_KEY_IDS);
        for (const { organizationId, journal } of callers) {
          journal.events.push({ name: 'signing_key.rotated', id: organizationId });
          journal.audits.push({ action: 'administer', resource: 'signing_key', ids: [], detail: `signing_key.rotated ${made}` });
        }
      });
      return list(await signingKeys(session), '');
    },
  });
  masterKeyCommands(keys, command, io);
}

function masterKeyCommands(keys: Command, command: CommandDeclarer['command'], io: Io): void {
  command(keys, 'master', {
    summary: 'List the master keys and backup keys in use, and those no longer needed',
    details: 'A missing key is reported on stderr, with exit code 1.',
    options: z.object({
      backups: folderOrBucket().exactOptional().describe('a place of backups that may need the keys (default: BACKUP_TO)'),
    }),
    keys: 'none',
    run: showKeyUses,
  });

  command(keys, 'renew', {
    summary: 'Re-encrypt values of older keys with the first of MASTER_KEYS',
    details:
      'Runs while the server runs, and can be interrupted and repeated. Refuses while a running process lacks the new key, since it could not decrypt renewed values. Backups do not change: keep the old key for them.',
    options: z.object({
      force,
      batch: count(1, 5_000).default(500).describe('values per transaction (default: 500)'),
    }),
    keys: 'others',
    run: async (session, { batch, ...options }) => {
      await requireKeyEverywhere(session, options);
      return renew(session, batch, io);
    },
  });
}

const force = z.boolean().default(false).describe('continue although a running process lacks the key');

/** Refuses to encrypt what running processes could not decrypt. @throws Failure conflict naming the processes and the key */
async function requireKeyEverywhere({ database, keyring }: Session, options: { force: boolean }): Promise<void> {
  const lacking = options.force ? [] : await listProcessesLacking(database.pool, [keyring.currentId]);
  if (lacking.length === 0) return;
  throw conflict(
    'key_missing',
    `These processes lack the key "${keyring.currentId}" and could not decrypt values under it: ${lacking.map(({ name }) => name).join(', ')}. ` +
      'Add the key to their MASTER_KEYS and restart them. A process that was killed counts for a minute. To continue anyway, add: --force',
  );
}

async function signingKeys({ db, keyring }: Session): Promise<Row[]> {
  const live = new Set((await liveSigningKeys(db, keyring)).map(({ id }) => id));
  const rows = await db.signingKey.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] });
  return rows.map(({ id, privatePem, createdAt, retiredAt }) => ({
    id,
    state: retiredAt === null ? 'signs' : live.has(id) ? 'verifies' : 'retired',
    created_at: writeInstant(createdAt),
    retired_at: writeInstant(retiredAt),
    master_key: readMasterKeyId({ privatePem }),
  }));
}

async function renew(session: Session, batch: number, io: Io): Promise<CommandResult> {
  const { db, keyring, write, writeEach } = session;
  const organizationIds = (await listOrganizations(db)).map(({ id }) => id);
  const results = await renewEncryptedValues({
    db,
    keyring,
    organizationIds,
    write,
    writeEach,
    batch,
    report: ({ organizationId, column, renewed }) =>
      io.stderr(`${column}: ${renewed} renewed${organizationId === null ? '' : `, at practice ${organizationId}`}\n`),
  });
  const rows = [...results].map(([column, { renewed, changed, unreadable }]) => ({
    column,
    renewed,
    changed_meanwhile: changed,
    unreadable,
  }));
  const answer = { ...list(rows, ''), ...(await remarkOnOldKeys(session)) };
  const unreadable = [...results].reduce((sum, [, result]) => sum + result.unreadable, 0);
  return unreadable === 0
    ? answer
    : { ...answer, problem: `${unreadable} values cannot be decrypted with MASTER_KEYS and were left unchanged.` };
}
