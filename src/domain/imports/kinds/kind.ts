import type { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Tx } from '../../tx.ts';
import type { Outcome, ReadRow } from '../outcomes.ts';

/** A kind of records: the cells of its rows by the domain's names, and how a batch of them is stored. */
export interface Kind<S extends z.ZodObject = z.ZodObject> {
  cells: S;
  /** Names of each cell in the APIs, beside the domain's own; of several that are given, the first that is not empty counts. */
  words: { readonly [F in keyof z.output<S>]?: readonly string[] };
  /** Stores rows in the transaction that is given, each that can be, and says what became of each, in their order. */
  store(tx: Tx, rows: readonly ReadRow<z.output<S>>[], keyring: Keyring): Promise<Outcome[]>;
}

/** Keeps the types of a kind's rows together. */
export const defineKind = <S extends z.ZodObject>(kind: Kind<S>): Kind<S> => kind;
