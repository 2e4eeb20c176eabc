import type { Command } from 'commander';
import { z } from 'zod';
import {
  countLockedAddresses,
  findAccountLock,
  findLockedAddresses,
  unlockAddress,
  unlockUser,
} from '../../domain/identity/limits/account-locks.ts';
import { LOCK_SECONDS, toNetwork } from '../../domain/identity/limits/sign-in-limits.ts';
import { searchAudit } from '../../domain/logs/audit-search.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import type { Tx } from '../../domain/tx.ts';
import { findUserAnywhere } from '../../domain/users/users.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { networkAddress, userReference } from '../terminal/options.ts';
import { type CommandResult, record } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

/** Refused sign-ins of a practice, and sessions of a user, that are looked through. */
const LOOKED_THROUGH = 1_000;

export function unlockCommand(users: Command, { command }: Pick<CommandDeclarer, 'command'>): void {
  command(users, 'unlock', {
    summary: 'Unlock a user or a network address after too many wrong passwords',
    details:
      'For a user, shows what was locked, the addresses that sent wrong passwords in the last 15 minutes, and which of them are locked.',
    options: z.object({
      user: userReference().optional(),
      address: networkAddress().exactOptional().describe('network address instead of a user, such as 203.0.113.7'),
    }),
    run: async (session, { user, address }) => {
      if (user !== undefined && address === undefined) return unlockByUser(session, user);
      if (address !== undefined && user === undefined) return unlockByAddress(session, address);
      throw new UsageError(
        user === undefined ? 'Name what to unlock: a user, or --address.' : 'Name either a user or --address, not both.',
      );
    },
  });
}

async function unlockByUser(session: Session, reference: string | number): Promise<CommandResult> {
  const { keyring, config } = session;
  const { id, organizationId, signIn } = await findUserAnywhere(session.db, reference);
  const emails = signIn.map(({ email }) => email);
  return session.write(organizationId, async (tx) => {
    const lock = await findAccountLock(tx.prisma, keyring, emails, config.SIGN_IN_FAILURES_ACCOUNT);
    const failedFrom = await addressesOfFailures(tx, id);
    const addresses = [...new Set([...failedFrom, ...(await addressesOfSessions(tx, id))])];
    const locked = await findLockedAddresses(tx.prisma, keyring, addresses, config.SIGN_IN_FAILURES_ADDRESS);
    await unlockUser(tx, keyring, id);
    const row = {
      id,
      practice_id: organizationId,
      account_was_locked: lock.account,
      devices_were_locked: lock.devices,
      failed_from: failedFrom,
      locked_addresses: locked,
    };
    return record(row, remarkOn(locked, await countLockedAddresses(tx.prisma, config.SIGN_IN_FAILURES_ADDRESS)));
  });
}

/** A locked address keeps out a user whose account is open, on devices that are new to it. */
function remarkOn(locked: readonly string[], count: number): string {
  if (locked.length > 0) {
    const commands = locked.map((address) => `npm run admin -- users unlock --address ${address}`);
    return `From a locked address, devices that never signed in wait for a quarter of an hour. To unlock it now:\n${commands.join('\n')}`;
  }
  if (count === 0) return 'No network address is locked.';
  return `Locked network addresses that this user has not signed in from: ${count}. The log names them in its lines “sign-in refused”.`;
}

async function addressesOfFailures(tx: Tx, userId: number): Promise<string[]> {
  const range = { from: new Date(Date.now() - LOCK_SECONDS * 1_000), before: null };
  const { entries } = await searchAudit(tx, { action: 'sign_in_refused', range, limit: LOOKED_THROUGH });
  const own = entries.filter(({ resource, resourceIds }) => resource === 'user' && resourceIds.includes(userId));
  return [...new Set(own.flatMap(({ address }) => address ?? []))];
}

async function addressesOfSessions(tx: Tx, userId: number): Promise<string[]> {
  const where = { ...tx.practice, userId };
  const sessions = await tx.prisma.session.findMany({
    where,
    select: { address: true },
    orderBy: { lastUsedAt: 'desc' },
    take: LOOKED_THROUGH,
  });
  return sessions.flatMap(({ address }) => address ?? []);
}

/** Every practice has it in its audit: people of all of them may sign in from one address. */
async function unlockByAddress({ db, keyring, writeEach }: Session, address: string): Promise<CommandResult> {
  const organizationIds = (await listOrganizations(db)).map(({ id }) => id);
  const counts = await writeEach(organizationIds, async (tx, callers) => {
    const detail = `network_address.unlocked ${address}`;
    for (const { journal } of callers) journal.audits.push({ action: 'administer', resource: 'network_address', ids: [], detail });
    return unlockAddress(tx, keyring, address);
  });
  const remark =
    counts === 0 ? 'No failures were counted for this address. Compare it with the lines “sign-in refused” of the log.' : undefined;
  const network = toNetwork(address);
  return record({ address, network: network.includes(':') ? `${network}::/64` : network, counts_removed: counts }, remark);
}
