import pg from 'pg';

/** A statement with its values; without a name it is prepared anew each time. */
export interface NamedQuery {
  name: string;
  text: string;
  values: readonly unknown[];
}

/** The columns of prepared statements by their names, and the connection without the message that asks for them. */
interface Described {
  columns: Map<string, Pick<pg.Query['_result'], 'fields' | '_parsers' | '_prebuiltEmptyResultObject'>>;
  undescribed: pg.Connection;
}

const known = new WeakMap<pg.Connection, Described>();

/**
 * A statement for the driver, which would ask for the columns of each one that it sends, and make parsers and an empty row of them, at a cost
 * above that of most rows. A connection is asked once: PostgreSQL refuses to run a prepared statement whose columns have changed.
 */
class StatementQuery extends pg.Query {
  constructor({ name, text, values }: NamedQuery, callback: NonNullable<pg.Query['callback']>) {
    // An object would be copied property by property.
    super('');
    if (name !== '') this.name = name;
    this.text = text;
    this.values = values;
    this.callback = callback;
  }

  override prepare(connection: pg.Connection): void {
    const { name, callback } = this;
    const { columns, undescribed } = describedOn(connection);
    const described = name === undefined ? undefined : columns.get(name);
    if (described) {
      Object.assign(this._result, described);
      this._accumulateRows = true;
    } else if (name !== undefined) {
      this.callback = (error, result) => {
        const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
        if (error === null) columns.set(name, { fields, _parsers, _prebuiltEmptyResultObject });
        callback?.(error, result);
      };
    }
    super.prepare(described ? undescribed : connection);
  }
}

export const sendQuery = (client: pg.ClientBase, query: NamedQuery): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    client.query(new StatementQuery(query, (error, result) => (error ? reject(error) : resolve(result))));
  });

function describedOn(connection: pg.Connection): Described {
  const found = known.get(connection);
  if (found) return found;
  const made = { columns: new Map(), undescribed: Object.assign(Object.create(connection), { describe: () => {} }) };
  known.set(connection, made);
  return made;
}
