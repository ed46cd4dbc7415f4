import { Client } from "pg";

const TIMEOUT_MS = 5_000;

type Options = {
  url: string;
  /** As Postgres shows the connection. */
  name: string;
  channels: readonly string[];
  /** At each notice, and when the connection is lost: from then on notices are missed. */
  onNotice(): void;
};

export type Listener = {
  /** Throws when the connection is dead, which a silent one may be for long. */
  probe(): Promise<void>;
  end(): Promise<void>;
};

/** A connection of its own that hears what commits tell. What was committed before it resolves was not heard. */
export async function listen({ url, name, channels, onNotice }: Options): Promise<Listener> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
  });
  client.on("notification", onNotice);
  // Without a listener the process would end here; the next probe finds it dead.
  client.on("error", onNotice);
  const end = () => client.end().catch(() => {});
  try {
    await client.connect();
    for (const channel of channels) await client.query(`LISTEN ${channel}`);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    probe: async () => {
      await client.query("SELECT 1");
    },
    end,
  };
}
