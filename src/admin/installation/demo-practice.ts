import { Failure } from '../../domain/errors.ts';
import { demoPracticeIds } from '../../startup/demo.ts';
import { UsageError } from '../terminal/command.ts';
import { findPractice, type NamedPractice, practice } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';

/** The practice of a command that is for trying things out: the first one of the demo without the option. */
export const demoPractice = () => practice().exactOptional().describe('id or key of the practice (default: the first demo practice)');

/** @throws UsageError where no practice was given and there is no demo */
export async function chooseOrDemo({ database, config }: Session, given: NamedPractice | undefined): Promise<number> {
  if (given !== undefined) return (await findPractice(database.prisma, given)).id;
  const [first] = await demoPracticeIds(database, config.DATA_DIR);
  if (first === undefined) throw new UsageError('There is no demo. Name a practice: --practice <id or key>.');
  return first;
}

/** @throws Failure forbidden for a practice that is none of the demo */
export async function requireDemo({ database, config }: Session, organizationId: number): Promise<void> {
  const ids = await demoPracticeIds(database, config.DATA_DIR);
  if (ids.includes(organizationId)) return;
  const those = ids.length === 0 ? 'there is no demo here' : `those are ${ids.join(' and ')}`;
  throw new Failure(
    'forbidden',
    'not_a_demo',
    `Events can be triggered only in demo practices, and ${organizationId} is not one: ${those}.`,
  );
}
