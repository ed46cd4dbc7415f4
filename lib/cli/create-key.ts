import { loadCliConfig } from "../config/config";
import { KeyCreatedSchema } from "../core/api/keys";
import { createApiClient } from "./api-client";
import { textOption } from "./arguments";
import { type Command, EXIT, print, UsageError } from "./command";

export const createKeyCommand: Command = {
  name: "keys create",
  usage: "keys create --plan PLAN [--customer CUSTOMER] [--name NAME] [--json]",
  summary: "Make an API key for a client, and show it this once.",
  help: `  --plan PLAN          the plan's id, such as free
  --customer CUSTOMER  the account that owns the key; made with this plan if unknown,
                       its own one if not given
  --name NAME          what the key is for
  --json               print the answer as one JSON object

The key alone goes to standard output, so KEY=$(headgate keys create --plan free) works.`,
  options: {
    plan: { type: "string" },
    customer: { type: "string" },
    name: { type: "string" },
    json: { type: "boolean" },
  },
  async run({ values, positionals, io }) {
    const plan = textOption(values, "plan");
    if (plan === undefined)
      throw new UsageError("--plan is missing: the id of a plan, such as free");
    if (positionals.length > 0) throw new UsageError(`takes no ${JSON.stringify(positionals[0])}`);
    const call = createApiClient(loadCliConfig(io.env), io.signal);
    const { customer, name } = {
      customer: textOption(values, "customer"),
      name: textOption(values, "name"),
    };
    const made = await call({
      method: "POST",
      path: "/keys",
      body: {
        plan,
        ...(customer !== undefined && { customer }),
        ...(name !== undefined && { name }),
      },
      answer: KeyCreatedSchema,
    });
    if (values.json === true) {
      print(io.stdout, JSON.stringify(made));
      return EXIT.done;
    }
    print(
      io.stderr,
      `key:${made.id} of customer ${made.customer}, plan ${made.plan}. It is shown only now:`,
    );
    print(io.stdout, made.key);
    return EXIT.done;
  },
};
