import { fileURLToPath } from 'node:url';
import type { Db } from '../../src/database/database.ts';
import type { Keyring } from '../../src/database/encryption/keyring.ts';
import { operator } from '../../src/domain/caller.ts';
import { unusableHash } from '../../src/domain/identity/passwords/passwords.ts';
import { emptyJournal } from '../../src/domain/journal.ts';
import { type Tx, txOf } from '../../src/domain/tx.ts';
import { createUser } from '../../src/domain/users/users.ts';
import { applyPlan, planFile } from '../../src/practice-file/apply.ts';
import { readPracticeFile } from '../../src/practice-file/document.ts';
import { KINDS } from '../../src/practice-file/kinds/index.ts';
import { readSource } from '../../src/practice-file/yaml-source.ts';

/** The file of a practice. */
export async function readDemoFile(key: string) {
  const source = await readSource(fileURLToPath(new URL(`./${key}.yaml`, import.meta.url)));
  return { source, file: readPracticeFile(source, KINDS) };
}

export type DemoFile = Awaited<ReturnType<typeof readDemoFile>>;

/** Makes a practice as its file says, which `npm run admin -- apply` reads as well. Its users are invited by no mail. */
export async function applyDemoFile(
  db: Db,
  { source, file }: DemoFile,
  { organizationId, keyring }: { organizationId: number; keyring: Keyring },
): Promise<void> {
  const services = {
    keyring,
    accepts: () => true,
    mostClients: 0,
    mostEndpoints: 0,
    makeUser: (tx: Tx, input: Parameters<typeof createUser>[1]) => createUser(tx, input, unusableHash()),
    forSale: new Map(),
  };
  const tx = txOf(db, { ...operator(organizationId, 'demo data'), journal: emptyJournal() });
  const reading = { tx, services, folder: file.folder };
  const plan = await planFile(reading, KINDS, file);
  if (plan.problems.length > 0) throw source.failure(plan.problems);
  await applyPlan(reading, KINDS, plan);
}
