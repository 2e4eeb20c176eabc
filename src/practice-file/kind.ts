import type { z } from 'zod';
import type { Keyring } from '../database/encryption/keyring.ts';
import type { NumberAvailability } from '../domain/messaging/numbers/practice-numbers.ts';
import type { Tx } from '../domain/tx.ts';
import type { UserInput } from '../domain/users/users.ts';

/** The values of an item by the domain's names. */
export type Fields = Readonly<Record<string, unknown>>;

/** Which fields of an item name other items, and of which kind. Inner fields are those of an object, or of each object of a list. */
export interface References {
  readonly [field: string]: string | References;
}

export interface FileServices {
  keyring: Keyring;
  /** Whether this server sends requests to an address. */
  accepts(address: string): boolean;
  /** API clients and webhook endpoints of a practice, at most. */
  mostClients: number;
  mostEndpoints: number;
  /** Makes a user, whom it may invite by mail. */
  makeUser(tx: Tx, input: UserInput): Promise<{ id: number }>;
  /** Whether the carrier sells a number, which it was asked before the transaction. */
  forSale: ReadonlyMap<string, NumberAvailability>;
}

/** One practice that is read or written by its file. */
export interface Reading {
  tx: Tx;
  services: FileServices;
  /** Paths in the file are relative to it. */
  folder: string;
}

export interface Work extends Reading {
  /** The id of an item by the name that the plan has for it. */
  findId(kind: string, name: string): number;
}

/** An item of the record. Its references are ids. */
export interface Stored {
  id: number;
  item: Fields;
}

/** The id of a new item, and its secret in plain text where it got one. */
export interface Created {
  id: number;
  secret?: string | null;
}

interface Described {
  /** The member of the file, such as `providerGroups`. */
  name: string;
  /** One of them in a sentence. */
  one: string;
  /** A practice has one at most, whose fields are not in a list. */
  single?: boolean;
  /** The fields by which an item is known without a key; none of a single one. */
  names: readonly string[];
  /** The words between several of them in a sentence; a blank by default. */
  between?: string;
  references?: References;
  /** Fields that a new item has unless it is null, so that an export writes null. */
  keepsNull?: readonly string[];
  /** Lists whose order means nothing. */
  unordered?: readonly string[];
  /** Fields whose values may be written in several ways, each to the form in which they are compared. */
  compared?: Readonly<Record<string, (value: unknown) => unknown>>;
  /** The fields that a new item keeps for good, and how another one is made instead. */
  fixed?: { fields: readonly string[]; instead: string };
  /** The table of the rows, in which what refers to one is found before it is removed. */
  table?: string;
  read(work: Reading): Promise<Stored[]>;
  /** The values of the file as the record has them, where they are read from elsewhere. */
  comparable?(work: Reading, fields: Fields): Promise<Fields>;
  /** The other practices that see an item, and are told of its change. */
  sharedWith?(work: Reading, id: number): Promise<number[]>;
  /** Removes an item to which nothing refers. Without it, an item is not removed. */
  remove?(work: Work, id: number): Promise<void>;
}

/** One kind of items of a practice: its shape, and how it is read from the record, made, changed and removed. */
export interface Kind extends Described {
  shape: z.ZodObject;
  /** The shape of a new item, which needs some fields. */
  whole: z.ZodObject;
  create(work: Work, fields: Fields): Promise<Created>;
  change(work: Work, id: number, fields: Fields): Promise<unknown>;
}

interface KindSpec<S extends z.ZodObject, W extends z.ZodObject> extends Described {
  shape: S;
  whole: W;
  create(work: Work, item: z.output<W>): Promise<Created>;
  /** @param changes the fields that differ */
  change(work: Work, id: number, changes: z.output<S>): Promise<unknown>;
}

/** Declares a kind. Its functions get what its shapes made of the fields. */
export const kind = <S extends z.ZodObject, W extends z.ZodObject>(spec: KindSpec<S, W>): Kind => ({
  ...spec,
  create: (work, fields) => spec.create(work, spec.whole.parse(fields)),
  change: (work, id, fields) => spec.change(work, id, spec.shape.parse(fields)),
});
