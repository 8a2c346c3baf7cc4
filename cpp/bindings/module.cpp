// The compiled module: converts, calls the core, converts back. The only code that knows Python.
#include "bindings/dataset.hpp"
#include "core/parallel.hpp"

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  nb::set_leak_warnings(false);  // a library does not print, not even when the interpreter ends with trees alive
  m.doc() = "The compiled core of arboretum: clean arrays in, arrays out.";
  arboretum::bind_dataset(m);
  arboretum::bind_criteria(m);
  arboretum::bind_grow(m);
  arboretum::bind_target_form(m);
  arboretum::bind_node_search(m);
  arboretum::bind_share(m);
  arboretum::bind_reported_sums(m);
  arboretum::bind_optimal(m);
  arboretum::bind_router(m);
  arboretum::bind_forest(m);
  arboretum::bind_prune(m);
  arboretum::bind_leaves(m);
  arboretum::bind_explain(m);
  arboretum::bind_fingerprint(m);
  m.def("has_room_for_threads", &arboretum::has_room_for_threads, nb::arg("n"),
        "Whether there is memory for so many threads to begin.");
  m.def("prepare_thread", &arboretum::prepare_thread, "Take the memory that the first error of a thread needs.");
}
