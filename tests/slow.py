"""What takes long. `pytest` runs some cases of each kind; `pytest -m ""` runs everything, and CI does.

A sweep tries one thing on many problems: of its cases so many are run every time, spread evenly, and the others are marked `slow`.
A test of which none is run every time takes several seconds by itself.
"""

QUICK_CASES = {
    "test_answers.py::test_a_matrix_written_in_any_format_is_read_back": 4,
    "test_auditing.py::test_no_line_that_agrees_with_the_exact_numbers_is_refused": 8,
    "test_choices.py::test_no_look_gives_the_right_answer_away": 0,
    "test_courses.py::test_a_last_digit_that_is_off_keeps_the_share_of_the_method": 6,
    "test_courses.py::test_a_mistake_is_named_by_its_own_number_alone": 6,
    "test_courses.py::test_known_mistakes_are_not_all_right_and_named": 6,
    "test_courses.py::test_more_digits_earn_all": 6,
    "test_courses.py::test_no_answer_of_another_share_stands_in_the_way": 6,
    "test_courses.py::test_nothing_and_anything_earn_nothing": 6,
    "test_courses.py::test_points_are_kept": 6,
    "test_courses.py::test_rounding_every_step_earns_all": 6,
    "test_courses.py::test_the_key_earns_all": 6,
    "test_exam.py::test_a_file_of_another_kind_is_named": 5,
    "test_exam.py::test_no_two_variants_are_alike": 0,
    "test_exam.py::test_paper_and_solution_have_the_same_pages": 1,
    "test_exam.py::test_students_from_a_file": 5,
    "test_exam.py::test_the_key_gives_full_marks_to_right_answers": 1,
    "test_examples.py::test_a_printed_step_reads_as_expected": 60,
    "test_examples.py::test_a_step_that_agrees_prints_the_same_digits": 20,
    "test_folding.py::test_sections_stand_further_in_and_keep_to_the_width": 2,
    "test_generate.py::test_bad_requests_are_told": 4,
    "test_generate.py::test_every_visible_mistake_prints_other_numbers": 3,
    "test_generate.py::test_files_read_back_as_the_same_problem": 3,
    "test_generate.py::test_no_demand_finds_anything": 3,
    "test_generate.py::test_no_entry_prints_next_to_a_tie": 3,
    "test_generate.py::test_right_answers_get_full_marks_and_mistakes_are_named": 3,
    "test_grade.py::test_a_thousand_scripts_of_which_many_are_broken": 0,
    "test_grade.py::test_what_cannot_be_read_costs_itself_alone": 4,
    "test_html.py::test_a_page_with_its_font_is_small": 8,
    "test_html.py::test_every_page_is_whole_and_fetches_nothing": 24,
    "test_html.py::test_mathml_has_as_many_parts_as_each_sign_needs": 24,
    "test_latex.py::test_it_compiles_without_overfull_lines": 8,
    "test_markdown.py::test_plain_text_is_80_wide_without_escapes": 8,
    "test_markdown.py::test_tables_keep_their_columns": 8,
    "test_marking.py::test_corner_habits_on_every_problem": 6,
    "test_marking.py::test_every_mistake_is_named_on_its_own_output": 30,
    "test_marking.py::test_no_legal_script_is_refused": 0,
    "test_marking.py::test_right_answers_get_full_marks": 8,
    "test_marking.py::test_simulated_mistakes_are_found_and_named_rightly": 0,
    "test_outputs.py::test_brief_is_formulas_and_matrices": 8,
    "test_readme.py::test_commands_run": 14,
    "test_terminal.py::test_ascii_terminals_get_ascii": 8,
    "test_terminal.py::test_no_escapes_without_colour": 8,
    "test_terminal.py::test_no_line_is_wider_than_the_console": 30,
    "test_terminal.py::test_no_number_is_broken": 16,
    "test_terminal.py::test_what_stands_between_equals_signs_is_equal": 30,
    "test_training.py::test_the_way_back_through_several_heads": 3,
    "test_typst.py::test_every_problem_is_a_page_that_can_be_heard_and_nothing_stands_beside_it": 6,
}


def few(items, most):
    """So many of the items, spread evenly from the first to the last."""
    items = list(items)
    if most < 2 or len(items) <= most:
        return items[:most]
    return [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)]
