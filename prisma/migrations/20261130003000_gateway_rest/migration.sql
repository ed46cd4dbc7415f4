-- A gateway that was stopped in order had nothing to report until it came back.
CREATE TABLE "gateway_rest" (
    "gateway_id" TEXT NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    "to" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_rest_pkey" PRIMARY KEY ("gateway_id","from")
);
ALTER TABLE "gateway_rest" ADD CONSTRAINT "gateway_rest_gateway_id_fkey" FOREIGN KEY ("gateway_id") REFERENCES "gateway"("id") ON DELETE CASCADE ON UPDATE CASCADE;
