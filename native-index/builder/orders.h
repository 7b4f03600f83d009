// Writer of the sort orders. What comes in: the columns. What goes out: every ORDER section (row
// numbers by value ascending, missing last, then cnpj ascending) and NAME_RANK.
// Invariant: all orders begin with the order by cnpj and are sorted stably from there, so equal
// values stay in cnpj order. At most three arrays of one u32 per row and one of a u16 exist at a
// time, or, while cnpjs and names are sorted, two and three of the former and the rows that are
// held (row_buckets.h): 1.0 GB for 72 million rows.
#pragma once
#include <cstdint>
#include <memory>

#include "builder/build_context.h"

namespace peneira {

using RowArray = std::unique_ptr<uint32_t[]>;

// Rows by cnpj, bytes ascending.
RowArray sortByCnpj(const BuildContext& context);

// Refuses rows that are not in rank order: score descending, then cnpj ascending.
void checkRankOrder(const SourceColumns& columns, unsigned threads);

// Appends every ORDER section but legal_name.
void writeValueOrders(const BuildContext& context, const uint32_t* byCnpj);

// Appends ORDER legal_name and NAME_RANK. Takes the order by cnpj, to free it early.
void writeNameOrder(const BuildContext& context, RowArray byCnpj);

}  // namespace peneira
