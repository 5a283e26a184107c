-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
CREATE FUNCTION sartor_jit_shapes(OUT shape text, OUT status text, OUT steps int, OUT evaluations bigint, OUT gain float8,
                                  OUT gain_low float8, OUT gain_high float8, OUT saved_ns float8, OUT pairs bigint, OUT why text)
  RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STRICT;
CREATE VIEW sartor_jit_activity AS SELECT * FROM sartor_jit_shapes();
