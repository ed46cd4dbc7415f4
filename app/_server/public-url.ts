import { variables } from "@/lib/config/variables";

/** The console's address as browsers see it, where no whole configuration is needed. */
export function publicUrl(): string {
  const given = variables.HEADGATE_PUBLIC_URL.safeParse(
    process.env.HEADGATE_PUBLIC_URL || undefined,
  );
  return given.data ?? `http://localhost:${process.env.PORT || 3000}`;
}
