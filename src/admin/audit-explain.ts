import type { Command } from 'commander';
import { z } from 'zod';
import { AuditChainError } from '../domain/audit/chain-heads.ts';
import { closeStretches, codeOf } from '../domain/audit/close-stretches.ts';
import type { Explanation } from '../domain/audit/explanations.ts';
import { type ForeignStretch, findForeignStretches } from '../domain/audit/foreign-stretches.ts';
import { Failure } from '../domain/errors.ts';
import { findOrganization, listOrganizations } from '../domain/practices/organizations.ts';
import { writeInstant } from '../domain/values/time.ts';
import { sealAudit } from '../jobs/seal-audit.ts';
import type { CommandDeclarer } from './command.ts';
import { id, text } from './options.ts';
import { type CommandResult, list, type Row } from './output.ts';
import type { Session } from './session.ts';

const options = z.object({
  organization: id().exactOptional().describe('only this practice (default all)'),
  reason: text(200).describe('what happened to the key, for every later verify; no patient data'),
  confirm: z
    .string()
    .regex(/^[0-9a-f]{12}$/, 'must be the code that the command showed without it')
    .exactOptional()
    .meta({ placeholder: 'code' })
    .describe('the code of what the command showed: without it nothing is changed'),
});

/** Declares `audit explain`. */
export function explainCommand(audit: Command, command: CommandDeclarer['command']): void {
  command(audit, 'explain', {
    summary: 'Explain stretches of the audit that were sealed under a key that nobody has',
    details:
      'Without --confirm it shows them and changes nothing. With it, they are closed: every later verify names them with your name and ' +
      'reason, and finds what is altered in them from now on. What was altered before is not known. Other flaws cannot be explained.',
    options,
    keys: 'others',
    run: explain,
  });
}

interface Found {
  organizationId: number;
  stretches: ForeignStretch[];
}

async function explain(session: Session, { organization: only, reason, confirm }: z.output<typeof options>): Promise<CommandResult> {
  const { found, problems } = await findAll(session, only);
  const code = codeOf(found.flatMap(({ stretches }) => stretches));
  if (confirm !== undefined && confirm !== code)
    throw new Failure('conflict', 'chain_changed', '--confirm: is not the code of what is found now. Run the command without it.');
  if (confirm !== undefined) await closeAll(session, found, reason);
  const rows = found.flatMap(({ organizationId, stretches }) => stretches.map((stretch) => row(organizationId, stretch)));
  const shown = list(rows, 'Nothing was sealed under a key that nobody has.');
  const answer = rows.length === 0 ? shown : { ...shown, remark: confirm === undefined ? invitation(code) : CLOSED };
  return problems.length === 0 ? answer : { ...answer, problem: problems.join('\n') };
}

const CLOSED = 'These stretches are explained, and the audit goes on behind them. Make a new anchor now if you keep anchors.';

const invitation = (code: string): string =>
  'Nothing was changed. Is the key really gone? With it among MASTER_KEYS these links could be checked. If it is, and these are all ' +
  `that it sealed, run the same command again with: --confirm ${code}`;

/** The stretches of all chains that were asked for, and a sentence for each chain that was altered. */
async function findAll({ db, keyring }: Session, only: number | undefined): Promise<{ found: Found[]; problems: string[] }> {
  const ids = only === undefined ? (await listOrganizations(db)).map((one) => one.id) : [(await findOrganization(db, only)).id];
  const found: Found[] = [];
  const problems: string[] = [];
  for (const organizationId of ids) {
    try {
      const { stretches } = await findForeignStretches(db, keyring, organizationId);
      if (stretches.length > 0) found.push({ organizationId, stretches });
    } catch (error) {
      if (!(error instanceof AuditChainError)) throw error;
      problems.push(`The audit of organization ${organizationId} cannot be explained: ${error.message}.`);
    }
  }
  return { found, problems };
}

/** One transaction a practice, and then the seals of the entries that say so. */
async function closeAll(session: Session, found: readonly Found[], reason: string): Promise<void> {
  const { database, keyring, operatorName: operator } = session;
  const words = { reason, operator, at: new Date() };
  for (const { organizationId, stretches } of found)
    await session.write(organizationId, (db, caller) => closeStretches(db, caller, keyring, codeOf(stretches), words));
  await sealAudit(database, keyring).catch((error: unknown) => {
    // Another chain that was altered is named above.
    if (!(error instanceof AuditChainError)) throw error;
  });
}

const row = (organizationId: number, { first, last, sealedUnder, keyIsMissing, from, to, digest }: ForeignStretch): Row => ({
  organization_id: organizationId,
  first: Number(first),
  last: Number(last),
  links: Number(last - first) + 1,
  from,
  to,
  sealed_under: sealedUnder,
  master_key: keyIsMissing ? 'missing' : 'another of that id',
  sha256: digest.toString('hex'),
});

/** An explanation in the JSON of `audit verify`. */
export const explanationRow = ({ first, last, sealedUnder, reason, operator, at }: Explanation): Row => ({
  first: Number(first),
  last: Number(last),
  sealed_under: sealedUnder,
  reason,
  operator,
  at: writeInstant(at),
});

/** An explanation as `audit verify` names it. */
export const explanationSentence = ({ organizationId, first, last, sealedUnder, reason, operator, at }: Explanation): string =>
  `Links ${first} to ${last} of organization ${organizationId} were sealed under the key "${sealedUnder}", which nobody has; ` +
  `${operator} explained it on ${writeInstant(at)}: ${reason}. They are as they were then.`;
