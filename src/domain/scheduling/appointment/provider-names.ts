import type { PracticeTx } from '../../tx.ts';
import { fullName } from '../../values/person-names.ts';
import { PROVIDER_NAMES } from './provider-names.sql.ts';

/**
 * Names of the providers of appointments by the appointments' ids: of the appointment's provider, else of the first participant who is
 * one. Empty where there is none.
 */
export async function findProviderNames(tx: PracticeTx, appointmentIds: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.rows(PROVIDER_NAMES, [appointmentIds]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The name by which patients know a provider. */
export async function findProviderName(tx: PracticeTx, id: number): Promise<string> {
  return nameToPatients(await tx.prisma.provider.findUniqueOrThrow({ where: tx.key(id) }));
}

/** The same of a provider who is at hand. Empty for one without any name. */
export const nameToPatients = ({ displayName, ...person }: Parameters<typeof fullName>[0] & { displayName: string | null }): string =>
  displayName?.trim() || fullName(person) || '';
