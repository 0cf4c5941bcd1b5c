// The business logic shared by all examples: charges per tenant, kept in memory.

export type Charge = { id: number; tenant: string | null; amount: number };

const charges: Charge[] = [];

export const chargesOf = (tenant: string | null): Charge[] =>
  charges.filter((charge) => charge.tenant === tenant);

/** Simulates a slow payment. */
export async function charge(tenant: string | null, order: unknown): Promise<Charge> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  const amount = Number(Object(order).amount);
  const made = { id: charges.length + 1, tenant, amount };
  charges.push(made);
  return made;
}
