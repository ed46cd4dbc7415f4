import { read } from "../lib/config/read";
import { variables } from "../lib/config/variables";
import { AppError } from "../lib/core/errors";
import { createSampleUpstream } from "../lib/sample-upstream";

try {
  const { HEADGATE_HOST: host, HEADGATE_UPSTREAM_PORT: port } = read(
    {
      HEADGATE_HOST: variables.HEADGATE_HOST.default("127.0.0.1"),
      HEADGATE_UPSTREAM_PORT: variables.PORT.default(9000),
    },
    process.env,
  );
  const server = createSampleUpstream();
  server.on("error", (error) => {
    console.error(`the sample upstream cannot listen on ${host}:${port}: ${error.message}`);
    process.exit(1);
  });
  server.listen(port, host, () => console.log(`sample upstream on http://${host}:${port}`));
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      server.close(() => process.exit(0));
      server.closeAllConnections();
    });
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.message);
  process.exit(2);
}
